import { migrateDatabase } from '#db/migrate.ts'
import { createPinoLog } from './adapters/log-pino.ts'
import { describeError } from './log.ts'
import { withPlansOfFile } from './plans-of-file.ts'
import { readJobSettings, SettingsError } from './settings.ts'
import { startJobs } from './start-jobs.ts'

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

const settings = await withPlansOfFile(process.env)
  .then(readJobSettings)
  .catch((error) => fail(error instanceof SettingsError ? error.message : 'the settings cannot be read'))
const log = createPinoLog(settings.LOG_LEVEL)

// An error that reaches this place is a fault of ours; it is written down, and the other jobs go on.
process.on('uncaughtException', (error) => log.error({ failure: describeError(error) }, 'uncaught exception'))
process.on('unhandledRejection', (error) =>
  log.error({ failure: describeError(error) }, 'unhandled rejection'),
)

const start = async () => {
  await migrateDatabase(settings.DATABASE_URL)
  return startJobs(settings, log)
}

const worker = await start().catch((error) =>
  fail(`the jobs could not start: ${JSON.stringify(describeError(error))}`),
)

let stopping = false
const stop = async () => {
  if (stopping) return
  stopping = true
  await worker.stop()
  log.flush()
  process.exit(0)
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
process.on('disconnect', stop)

log.info({}, 'working')
process.send?.({ ready: true })
