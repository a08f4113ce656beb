import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from './log.ts'
import { migrateOrEnd } from './migrate-or-end.ts'
import { endWhenAsked, fail, openProcessLog, settingsOrEnd } from './run-process.ts'
import { readSettings } from './settings.ts'
import { startGateway } from './start-gateway.ts'

// How long a balancer that watches /readyz may take to stop sending.
const drainMs = process.env.NODE_ENV === 'production' ? 5000 : 250

const settings = await settingsOrEnd(readSettings)
const log = openProcessLog(settings.LOG_LEVEL)

await migrateOrEnd(settings.DATABASE_URL)

const gateway = await startGateway({ settings, log }).catch((error: NodeJS.ErrnoException) =>
  fail(
    error.code === 'EADDRINUSE'
      ? `port ${settings.PORT} of ${settings.HOST} is in use: set PORT to another one`
      : `the gateway could not start: ${JSON.stringify(describeError(error))}`,
  ),
)

endWhenAsked(async () => {
  gateway.drain()
  await sleep(drainMs)
  await gateway.close()
  log.flush()
})

log.info({ url: gateway.url }, 'listening')
process.send?.({ url: gateway.url })
