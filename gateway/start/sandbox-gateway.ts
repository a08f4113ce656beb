import { disablePretenuring } from '../process/disable-pretenuring.ts'
import { importWithFixedSemiSpace } from '../process/import-with-fixed-semi-space.ts'

disablePretenuring()

// As `server.ts`, except that the base URL is the listening address unless it is set: its port may be any free one.
const { runServer, readSandboxSettings } = await importWithFixedSemiSpace(async () => ({
  ...(await import('../process/run-server.ts')),
  ...(await import('../settings/settings.ts')),
}))
await runServer(readSandboxSettings)
