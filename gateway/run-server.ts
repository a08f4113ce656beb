import { setTimeout as sleep } from 'node:timers/promises'
import { migrateDatabase } from '#db/migrate.ts'
import { createPinoLog } from './adapters/log-pino.ts'
import { describeError } from './log.ts'
import { withPlansOfFile } from './plans-of-file.ts'
import { readSettings, SettingsError } from './settings.ts'
import { startGateway } from './start-gateway.ts'

// How long a balancer that watches /readyz may take to stop sending.
const drainMs = process.env.NODE_ENV === 'production' ? 5000 : 250

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

const settings = await withPlansOfFile(process.env)
  .then(readSettings)
  .catch((error) => fail(error instanceof SettingsError ? error.message : 'the settings cannot be read'))

const log = createPinoLog(settings.LOG_LEVEL)

// An error that reaches this place is a fault of ours; it is written down, and the requests of everybody else go on.
process.on('uncaughtException', (error) => log.error({ failure: describeError(error) }, 'uncaught exception'))
process.on('unhandledRejection', (error) =>
  log.error({ failure: describeError(error) }, 'unhandled rejection'),
)

const start = async () => {
  await migrateDatabase(settings.DATABASE_URL)
  return startGateway({ settings, log })
}

const gateway = await start().catch((error: NodeJS.ErrnoException) =>
  fail(
    error.code === 'EADDRINUSE'
      ? `port ${settings.PORT} of ${settings.HOST} is in use: set PORT to another one`
      : `the gateway could not start: ${JSON.stringify(describeError(error))}`,
  ),
)

let stopping = false
const stop = async () => {
  if (stopping) return
  stopping = true
  gateway.drain()
  await sleep(drainMs)
  await gateway.close()
  log.flush()
  process.exit(0)
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
process.on('disconnect', stop)

log.info({ url: gateway.url }, 'listening')
process.send?.({ url: gateway.url })
