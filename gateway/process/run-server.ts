import { setTimeout as sleep } from 'node:timers/promises'
import { ListenError } from '../node/listen-error.ts'
import { startGateway } from '../node/start-gateway.ts'
import { describeError } from '../observability/log.ts'
import type { Variables } from '../settings/read-environment.ts'
import type { Settings } from '../settings/settings.ts'
import { exitWithError, openProcessLog, readSettingsOrExit, shutDownOnSignal } from './lifecycle.ts'
import { migrateOrExit } from './migrate-or-exit.ts'
import { requirePreparedStatements } from './require-prepared-statements.ts'

/** Runs the gateway in this process until a signal ends it. */
export const runServer = async (readSettings: (environment: Variables) => Settings) => {
  const settings = await readSettingsOrExit(readSettings)
  const log = openProcessLog(settings.LOG_LEVEL)

  await migrateOrExit(settings, log)
  await requirePreparedStatements(settings)

  const gateway = await startGateway({ settings, log }).catch((error) =>
    exitWithError(
      error instanceof ListenError
        ? error.message
        : `gateway failed to start: ${JSON.stringify(describeError(error))}`,
    ),
  )

  shutDownOnSignal(async () => {
    gateway.drain()
    // New requests are accepted for half of the time, so that load balancers that check /readyz can stop sending them.
    const acceptMs = settings.DRAIN_MS / 2
    await sleep(acceptMs)
    await gateway.close(settings.DRAIN_MS - acceptMs)
    // Last, because closing logs as well.
    log.flush()
  })

  const { url, adminUrl } = gateway
  log.info({ url, adminUrl }, 'gateway started')
  // `start/start-child.ts` waits for this message.
  process.send?.({ url, adminUrl })
}
