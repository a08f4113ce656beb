import { setTimeout as sleep } from 'node:timers/promises'
import type { ListenerName } from '../../node/group/process-group.ts'
import type { Variables } from '../../settings/read-environment.ts'
import type { Settings } from '../../settings/settings.ts'
import { exitOnFailure, openProcessLog, readSettingsOrExit, shutDownOnSignal } from '../lifecycle.ts'
import { createReportCollector } from './collect-reports.ts'
import { createDistributor, describeListenError } from './distribute-connections.ts'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { countProcesses } from './process-count.ts'
import { createSupervisor } from './supervisor.ts'
import { defaultTiming } from './supervisor-timing.ts'

const start = async (readSettings: (environment: Variables) => Settings, timing = defaultTiming) => {
  const settings = await readSettingsOrExit(readSettings)
  const { log } = openProcessLog(settings, { sharesOutput: true })
  const { HOST, PORT, ADMIN_HOST, ADMIN_PORT } = settings
  const distributors = {
    PORT: createDistributor('PORT', { host: HOST, port: PORT, settings: { host: 'HOST', port: 'PORT' } }),
    ADMIN_PORT: createDistributor('ADMIN_PORT', {
      host: ADMIN_HOST,
      // Without the listener, no process asks for its connections.
      port: ADMIN_PORT ?? 0,
      settings: { host: 'ADMIN_HOST', port: 'ADMIN_PORT' },
    }),
  }
  const listen = (process: GatewayProcess, listener: ListenerName) =>
    distributors[listener].include(process).then(
      (port) => process.send({ kind: 'listening', listener, port }),
      (error) => process.send({ kind: 'listen-failed', listener, error: describeListenError(error) }),
    )
  const exclude = (process: GatewayProcess) => {
    distributors.PORT.exclude(process)
    distributors.ADMIN_PORT.exclude(process)
  }
  const excludeDraining = (process: GatewayProcess) => {
    // While all of them drain, each one keeps its share.
    if (supervisor.isStopping()) return
    distributors.PORT.excludeUnlessLast(process)
    distributors.ADMIN_PORT.excludeUnlessLast(process)
  }
  const reports = createReportCollector(() => supervisor.listReady())
  const supervisor = createSupervisor({
    count: countProcesses(settings.PROCESSES),
    start: () =>
      startGatewayProcess({
        onMessage(process, message) {
          if ('url' in message || message.kind === 'pong' || message.kind === 'received') return
          if (message.kind === 'listen') void listen(process, message.listener)
          else if (message.kind === 'closed')
            distributors[message.listener].recordClosed(process, message.connections)
          else if (message.kind === 'draining') excludeDraining(process)
          else if (message.kind === 'collect') void reports.respond(process, message.request, message.subject)
          else reports.record(process.pid, message)
        },
        onClosed(process) {
          exclude(process)
          reports.recordExit(process.pid)
        },
      }),
    onReplace: exclude,
    log,
    drainMs: settings.DRAIN_MS,
    timing,
  })
  shutDownOnSignal(async () => {
    const stopped = supervisor.stop()
    // The processes accept requests for half of the time.
    await Promise.race([stopped, sleep(settings.DRAIN_MS / 2)])
    distributors.PORT.close()
    await stopped
    await log.flush()
  })
  process.on('SIGUSR2', () => void supervisor.restart())
  const addresses = await supervisor.start()
  if (addresses === null) return
  log.info({ ...addresses, processes: supervisor.listReady().length }, 'gateway processes started')
  // `start/start-child.ts` waits for this message.
  process.send?.(addresses)
}

/** Starts the number of processes that PROCESSES asks for, keeps them running, and aggregates their metrics. */
export const runSupervisor = (
  readSettings: (environment: Variables) => Settings,
  timing?: Parameters<typeof start>[1],
) => start(readSettings, timing).catch(exitOnFailure('gateway'))
