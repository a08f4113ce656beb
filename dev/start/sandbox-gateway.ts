import { runServer } from '#bin/process/run-server.ts'
import { readSandboxSettings } from '#gateway/settings/settings.ts'

// As `server.ts`, except that the base URL is the listening address unless it is set: its port may be any free one.
await runServer(readSandboxSettings)
