import { migrateDatabase } from '#db/migrate.ts'
import { describeError } from './log.ts'
import { endWhenAsked, fail, openProcessLog, settingsOrEnd } from './run-process.ts'
import { readJobSettings } from './settings.ts'
import { startJobs } from './start-jobs.ts'

const settings = await settingsOrEnd(readJobSettings)
const log = openProcessLog(settings.LOG_LEVEL)

const start = async () => {
  await migrateDatabase(settings.DATABASE_URL)
  return startJobs(settings, log)
}

const worker = await start().catch((error) =>
  fail(`the jobs could not start: ${JSON.stringify(describeError(error))}`),
)

endWhenAsked(async () => {
  await worker.stop()
  log.flush()
})

log.info({}, 'working')
process.send?.({ ready: true })
