import { setTimeout as sleep } from 'node:timers/promises'
import type { Variables } from '#gateway/settings/read-environment.ts'
import type { Settings } from '#gateway/settings/settings.ts'
import { listRemovedSettings } from '#gateway/settings/settings.ts'
import { sendToParent } from '#shared/processes/child-process.ts'
import { type StartOptions, startGateway } from '../start-gateway.ts'
import { exitOnFailure, openProcessLog, readFollowedSettings, shutDownOnSignal } from './lifecycle.ts'
import { prepareDatabase } from './prepare-database.ts'

type ReadSettings = (environment: Variables) => Settings

type Additions = Pick<StartOptions, 'homePage' | 'guard'>

const start = async (readSettings: ReadSettings, additions: Additions) => {
  const { settings, follow } = await readFollowedSettings(readSettings)
  const { log, instanceId } = openProcessLog(settings)
  follow(log)
  for (const removed of listRemovedSettings(process.env)) log.warn(removed, 'removed setting ignored')
  // A service manager set up for the removed setting PROCESSES may still send this signal to reload the gateway.
  // Without a handler, the signal would end the process.
  process.on('SIGUSR2', () => log.warn({}, 'restart of gateway processes ignored'))

  const remaining = await prepareDatabase(settings, log)
  const gateway = await startGateway({
    ...additions,
    settings,
    log,
    instanceId,
    prepareDatabase: remaining,
    // The warm-up reads the database.
    warmsUp: !remaining,
  })

  shutDownOnSignal(log, async () => {
    gateway.drain()
    // Accepts new requests for half of DRAIN_MS, so load balancers that check /readyz have time to stop sending them.
    const acceptMs = settings.DRAIN_MS / 2
    await sleep(acceptMs)
    await gateway.close(settings.DRAIN_MS - acceptMs)
  })

  const { url, adminUrl } = gateway
  log.info({ url, adminUrl }, 'gateway started')
  // `dev/start/start-child.ts` waits for this message.
  sendToParent({ url, adminUrl })
  return gateway
}

/** Prints why the start failed, because the process would end before it could log an unhandled rejection. */
export const runServer = (readSettings: ReadSettings, additions: Additions = {}) =>
  start(readSettings, additions).catch(exitOnFailure('gateway'))
