import { setTimeout as sleep } from 'node:timers/promises'
import { startGateway } from '../node/start-gateway.ts'
import { describeError } from '../observability/log.ts'
import { readSettings } from '../settings/settings.ts'
import { exitWithError, openProcessLog, readSettingsOrExit, shutDownOnSignal } from './lifecycle.ts'
import { migrateOrExit } from './migrate-or-exit.ts'

// Gives load balancers that check /readyz time to stop sending requests; a development machine has none.
const drainDelayMs = process.env.NODE_ENV === 'production' ? 5000 : 250

const settings = await readSettingsOrExit(readSettings)
const log = openProcessLog(settings.LOG_LEVEL)

await migrateOrExit(settings)

const addressErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: `port ${settings.PORT} of ${settings.HOST} is in use: set PORT to a free port`,
  EACCES: `no permission to listen on port ${settings.PORT}: set PORT to a port above 1023`,
  EADDRNOTAVAIL: `HOST ${settings.HOST} is not an address of this machine: set HOST to a local address`,
  ENOTFOUND: `HOST ${settings.HOST} is not an address of this machine: set HOST to a local address`,
}

const gateway = await startGateway({ settings, log }).catch((error: NodeJS.ErrnoException) =>
  exitWithError(
    addressErrors[error.code ?? ''] ?? `gateway failed to start: ${JSON.stringify(describeError(error))}`,
  ),
)

shutDownOnSignal(async () => {
  gateway.drain()
  await sleep(drainDelayMs)
  await gateway.close()
  // Last, because closing logs as well.
  log.flush()
})

log.info({ url: gateway.url }, 'gateway started')
// `start/start-child.ts` waits for this message.
process.send?.({ url: gateway.url })
