import { describeError } from '../observability/log.ts'
import { readJobSettings } from '../settings/settings.ts'
import { exitWithError, openProcessLog, readSettingsOrExit, shutDownOnSignal } from './lifecycle.ts'
import { migrateOrExit } from './migrate-or-exit.ts'
import { startJobs } from './start-jobs.ts'

const settings = await readSettingsOrExit(readJobSettings)
const log = openProcessLog(settings.LOG_LEVEL)

await migrateOrExit(settings)

const worker = await startJobs(settings, log).catch((error) =>
  exitWithError(`job worker initialization failed: ${JSON.stringify(describeError(error))}`),
)

shutDownOnSignal(async () => {
  await worker.stop()
  log.flush()
})

log.info({}, 'job worker started')
process.send?.({ ready: true })
