import { env } from 'cloudflare:workers'
import { createFetchHandler } from '#gateway/workers/listener.ts'
import { readOwnBuild } from '#migration/evidence-keys/own-build.ts'
import { createWorkersControl } from '#migration/workers-control.ts'
import { createSandboxHomePage } from '../sandbox/home-page.ts'

const textOf = (name: string) => {
  const value = env[name]
  return typeof value === 'string' ? value : ''
}

const homePage = createSandboxHomePage(() => ({
  baseUrl: textOf('PUBLIC_BASE_URL'),
  // A Worker has no admin listener.
  consoleUrl: null,
  tokenUrl: textOf('SANDBOX_TOKEN_URL') || null,
}))

/** Like `bin/worker.ts`, except for the page at `/`. */
export default {
  fetch: createFetchHandler({ readBuild: readOwnBuild, createControl: createWorkersControl, homePage }),
}
