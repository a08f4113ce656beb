import { setTimeout as sleep } from 'node:timers/promises'
import { startGateway } from '../node/start-gateway.ts'
import type { Variables } from '../settings/read-environment.ts'
import type { Settings } from '../settings/settings.ts'
import { joinProcessGroup } from './group/join-process-group.ts'
import { countProcesses, isMember } from './group/process-count.ts'
import { exitOnFailure, openProcessLog, readSettingsOrExit, shutDownOnSignal } from './lifecycle.ts'
import { prepareDatabase } from './prepare-database.ts'

const start = async (readSettings: (environment: Variables) => Settings) => {
  const settings = await readSettingsOrExit(readSettings)
  const group = isMember() ? joinProcessGroup(countProcesses(settings.PROCESSES)) : undefined
  const exit = () => process.exit(1)
  if (group) {
    // Without its supervisor, a process that is not started yet would wait for connections forever.
    if (!process.connected) exit()
    process.once('disconnect', exit)
  }
  const { log, instanceId } = openProcessLog(settings, { sharesOutput: group !== undefined })
  // One process cannot be replaced; where PROCESSES is auto, an operator may not know that there is one only.
  if (!group) process.on('SIGUSR2', () => log.warn({}, 'restart of gateway processes ignored'))

  const gateway = await startGateway({
    settings,
    log,
    instanceId,
    prepareDatabase: await prepareDatabase(settings, log),
    group,
  })

  const shutDown = shutDownOnSignal(async () => {
    group?.reportDraining()
    // New requests are accepted for half of the time, so that load balancers that check /readyz can stop sending them.
    const acceptMs = settings.DRAIN_MS / 2
    await sleep(acceptMs)
    await gateway.close(settings.DRAIN_MS - acceptMs)
    await group?.reportExit()
    // Last, because closing logs as well.
    await log.flush()
  }, gateway.drain)

  process.off('disconnect', exit)
  group?.onReplaced(() => {
    gateway.drain({ isReplaced: true })
    void shutDown()
  })

  const { url, adminUrl } = gateway
  log.info({ url, adminUrl }, 'gateway started')
  // `start/start-child.ts` waits for this message.
  process.send?.({ url, adminUrl })
}

/**
 * Runs the gateway in this process until a signal ends it. A failed start is printed: the log of unhandled rejections is
 * not written before the process ends.
 */
export const runServer = (readSettings: (environment: Variables) => Settings) =>
  start(readSettings).catch(exitOnFailure('gateway'))
