import { describeError } from '../observability/log.ts'
import { readJobSettings } from '../settings/settings.ts'
import { endWhenAsked, fail, openProcessLog, settingsOrEnd } from './lifecycle.ts'
import { migrateOrEnd } from './migrate-or-exit.ts'
import { startJobs } from './start-jobs.ts'

const settings = await settingsOrEnd(readJobSettings)
const log = openProcessLog(settings.LOG_LEVEL)

await migrateOrEnd(settings.DATABASE_URL)

const worker = await startJobs(settings, log).catch((error) =>
  fail(`the jobs could not start: ${JSON.stringify(describeError(error))}`),
)

endWhenAsked(async () => {
  await worker.stop()
  log.flush()
})

log.info({}, 'working')
process.send?.({ ready: true })
