import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '#shared/with-timeout.ts'
import { describeError, type Log } from '../observability/log.ts'
import type { Addresses, GatewayProcess } from './gateway-process.ts'

interface SupervisorTiming {
  /** The delay before a process that has exited is started again; doubled for each exit soon after its start. */
  readonly minRestartDelayMs: number
  readonly maxRestartDelayMs: number
  /** A process that has run for this long starts again after the shortest delay. */
  readonly stableMs: number
  readonly pingIntervalMs: number
  /** How many pings a process may leave without a response before it is killed. */
  readonly maxUnansweredPings: number
}

// Twelve pings are two minutes in which the event loop of a process has not run once: longer than clients wait, and far
// longer than the load of a machine delays it. A shorter limit would kill processes that are only slow.
export const defaultTiming: SupervisorTiming = {
  minRestartDelayMs: 250,
  maxRestartDelayMs: 30_000,
  stableMs: 60_000,
  pingIntervalMs: 10_000,
  maxUnansweredPings: 12,
}

/** How long a process may take to close its connections to the database and so on after it has drained. */
const closeTimeoutMs = 8000

interface SupervisorOptions {
  readonly count: number
  readonly start: () => GatewayProcess
  /** Called before a process drains because another one serves in its place. */
  readonly onReplace: (process: GatewayProcess) => void
  readonly log: Log
  readonly drainMs: number
  readonly timing: SupervisorTiming
}

export interface Supervisor {
  /** Starts all processes. Rejects if the first one does not start; the others are started again. */
  start(): Promise<Addresses>
  listReady(): readonly GatewayProcess[]
  /** Replaces one process after the other: the next one serves before the former drains. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Keeps a number of processes running. */
export const createSupervisor = ({
  count,
  start,
  onReplace,
  log,
  drainMs,
  timing,
}: SupervisorOptions): Supervisor => {
  const live = new Set<GatewayProcess>()
  const slots: { process: GatewayProcess }[] = []
  let isStopping = false
  let isRestarting = false

  const launch = () => {
    const process = start()
    live.add(process)
    void process.exited.then(() => live.delete(process))
    return process
  }

  const keepRunning = async (slot: { process: GatewayProcess }) => {
    let failures = 0
    while (!isStopping) {
      const { process } = slot
      const exit = await process.exited
      if (isStopping) return
      // Another one serves in its place.
      if (slot.process !== process) continue
      failures = performance.now() - process.startedAt < timing.stableMs ? failures + 1 : 0
      const delayMs = timing.minRestartDelayMs * 2 ** Math.max(failures - 1, 0)
      const restartDelayMs = Math.min(delayMs, timing.maxRestartDelayMs)
      log.error({ pid: process.pid, ...exit, restartDelayMs }, 'gateway process exited')
      await sleep(restartDelayMs)
      if (!isStopping && slot.process === process) slot.process = launch()
    }
  }

  const openSlot = () => {
    const slot = { process: launch() }
    slots.push(slot)
    return slot
  }

  const waitForExit = (process: GatewayProcess) =>
    withTimeout(drainMs + closeTimeoutMs, process.exited, () => process.kill('SIGKILL'))

  const replace = async (slot: { process: GatewayProcess }) => {
    const next = launch()
    await next.ready
    const former = slot.process
    slot.process = next
    onReplace(former)
    former.send({ kind: 'replaced' })
    await waitForExit(former)
  }

  const ping = () => {
    for (const { process } of slots) {
      if (!process.isReady() || process.ping() < timing.maxUnansweredPings) continue
      log.error({ pid: process.pid }, 'unresponsive gateway process killed')
      process.kill('SIGKILL')
    }
  }
  const pingTimer = setInterval(ping, timing.pingIntervalMs)

  return {
    async start() {
      const first = openSlot()
      // Alone, because it migrates the database and shows whether the settings are right.
      const addresses = await first.process.ready
      void keepRunning(first)
      const others = Array.from({ length: count - 1 }, openSlot)
      for (const slot of others) void keepRunning(slot)
      await Promise.allSettled(others.map(({ process }) => process.ready))
      return addresses
    },

    listReady: () => [...live].filter((process) => process.isReady()),

    async restart() {
      if (isRestarting || isStopping) return log.warn({}, 'restart of gateway processes ignored')
      isRestarting = true
      log.info({}, 'restart of gateway processes started')
      try {
        for (const slot of slots) if (!isStopping) await replace(slot)
        log.info({}, 'gateway processes restarted')
      } catch (error) {
        // The processes that are not replaced yet still serve.
        log.error({ failure: describeError(error) }, 'failed to restart gateway processes')
      } finally {
        isRestarting = false
      }
    },

    async stop() {
      isStopping = true
      clearInterval(pingTimer)
      for (const process of live) process.kill('SIGTERM')
      await Promise.all([...live].map(waitForExit))
    },
  }
}
