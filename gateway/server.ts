import '../scripts/check-node.mjs'
import { disablePretenuring } from './process/disable-pretenuring.ts'
import { importWithFixedSemiSpace } from './process/import-with-fixed-semi-space.ts'

disablePretenuring()

const { runServer, readSettings } = await importWithFixedSemiSpace(async () => ({
  ...(await import('./process/run-server.ts')),
  ...(await import('./settings/settings.ts')),
}))
await runServer(readSettings)
