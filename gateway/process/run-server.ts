import { setTimeout as sleep } from 'node:timers/promises'
import { startGateway } from '../node/start-gateway.ts'
import { describeError } from '../observability/log.ts'
import { readSettings } from '../settings/settings.ts'
import { exitWithError, openProcessLog, readSettingsOrExit, shutDownOnSignal } from './lifecycle.ts'
import { migrateOrExit } from './migrate-or-exit.ts'

// How long a balancer that watches /readyz may take to stop sending.
const drainMs = process.env.NODE_ENV === 'production' ? 5000 : 250

const settings = await readSettingsOrExit(readSettings)
const log = openProcessLog(settings.LOG_LEVEL)

await migrateOrExit(settings.DATABASE_URL)

const faultsOfTheAddress: Readonly<Record<string, string>> = {
  EADDRINUSE: `port ${settings.PORT} of ${settings.HOST} is in use: set PORT to another one`,
  EACCES: `port ${settings.PORT} is not free to all: set PORT to one above 1023`,
  EADDRNOTAVAIL: `HOST ${settings.HOST} is no address of this machine`,
  ENOTFOUND: `HOST ${settings.HOST} is no address of this machine`,
}

const gateway = await startGateway({ settings, log }).catch((error: NodeJS.ErrnoException) =>
  exitWithError(
    faultsOfTheAddress[error.code ?? ''] ??
      `the gateway could not start: ${JSON.stringify(describeError(error))}`,
  ),
)

shutDownOnSignal(async () => {
  gateway.drain()
  await sleep(drainMs)
  await gateway.close()
  log.flush()
})

log.info({ url: gateway.url }, 'listening')
process.send?.({ url: gateway.url })
