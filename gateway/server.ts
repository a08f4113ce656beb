import '../scripts/check-node.mjs'
import { disablePretenuring } from './process/disable-pretenuring.ts'
import { isSupervisor } from './process/group/process-count.ts'
import { importWithFixedSemiSpace } from './process/import-with-fixed-semi-space.ts'

// A reload must not end a gateway that still starts.
process.on('SIGUSR2', () => {})
disablePretenuring()

const { run, readSettings } = await importWithFixedSemiSpace(async () => ({
  run: isSupervisor()
    ? (await import('./process/group/run-supervisor.ts')).runSupervisor
    : (await import('./process/run-server.ts')).runServer,
  ...(await import('./settings/settings.ts')),
}))
await run(readSettings)
