import { setTimeout as sleep } from 'node:timers/promises'
import { ListenError } from '../node/listen-error.ts'
import { startGateway } from '../node/start-gateway.ts'
import { describeError } from '../observability/log.ts'
import { readSettings } from '../settings/settings.ts'
import { exitWithError, openProcessLog, readSettingsOrExit, shutDownOnSignal } from './lifecycle.ts'
import { migrateOrExit } from './migrate-or-exit.ts'

// Gives load balancers that check /readyz time to stop sending requests; a development machine has none.
const drainDelayMs = process.env.NODE_ENV === 'production' ? 5000 : 250

const settings = await readSettingsOrExit(readSettings)
const log = openProcessLog(settings.LOG_LEVEL)

await migrateOrExit(settings, log)

const gateway = await startGateway({ settings, log }).catch((error) =>
  exitWithError(
    error instanceof ListenError
      ? error.message
      : `gateway failed to start: ${JSON.stringify(describeError(error))}`,
  ),
)

shutDownOnSignal(async () => {
  gateway.drain()
  await sleep(drainDelayMs)
  await gateway.close()
  // Last, because closing logs as well.
  log.flush()
})

const { url, adminUrl } = gateway
log.info({ url, adminUrl }, 'gateway started')
// `start/start-child.ts` waits for this message.
process.send?.({ url, adminUrl })
