import { runServer } from '#bin/process/run-server.ts'
import { readSandboxSettings } from '#gateway/settings/settings.ts'
import { createSandboxHomePage } from '../sandbox/home-page.ts'

const { PUBLIC_BASE_URL, SANDBOX_TOKEN_URL } = process.env
let listening = { url: '', adminUrl: null as string | null }

const homePage = createSandboxHomePage(() => ({
  baseUrl: PUBLIC_BASE_URL || listening.url,
  consoleUrl: listening.adminUrl && `${listening.adminUrl}/console`,
  tokenUrl: SANDBOX_TOKEN_URL || null,
}))

// Like `server.ts`, except for the page at `/` and the base URL. Unless set, the base URL is the listening address,
// because the port may be any free one.
listening = await runServer(readSandboxSettings, { homePage })
