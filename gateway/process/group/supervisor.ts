import { describeError } from '#shared/describe-error.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import type { Log } from '../../observability/log.ts'
import type { Addresses, GatewayProcess } from './gateway-process.ts'
import { createProcessSlots, type Slot } from './process-slots.ts'
import type { SupervisorTiming } from './supervisor-timing.ts'

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
  /**
   * Starts all processes; resolves to null if they are stopped meanwhile. Rejects if the first one does not start; the
   * others are started again.
   */
  start(): Promise<Addresses | null>
  listReady(): readonly GatewayProcess[]
  /** Replaces one process after the other: the next one serves before the former drains. */
  restart(): Promise<void>
  isStopping(): boolean
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
  const slots: Slot[] = []
  // The start of all processes or a restart, which must not overlap.
  let isChanging = false
  const { live, launch, assign, fill, stopFilling, isStopping } = createProcessSlots({ start, log, timing })

  const waitForExit = (process: GatewayProcess) =>
    withTimeout(drainMs + closeTimeoutMs, process.exited, () => process.kill('SIGKILL'))

  const replace = async (slot: Slot) => {
    const next = launch()
    await next.ready
    const former = slot.process
    assign(slot, next)
    if (former === null) return
    onReplace(former)
    if (former.isReady()) former.send({ kind: 'replaced' })
    else former.kill('SIGTERM')
    await waitForExit(former)
  }

  const startOthers = async () => {
    const others = Array.from({ length: count - 1 }, (): Slot => ({ process: null, failures: 0 }))
    slots.push(...others)
    for (const slot of others) void fill(slot)
    const started = others.map(({ process }) => process?.ready)
    // One that hangs must not hide that the first one serves.
    await withTimeout(timing.startWaitMs, Promise.allSettled(started), () => undefined)
  }

  const ping = () => {
    for (const { process } of slots) {
      if (!process?.isReady() || process.ping() < timing.maxUnansweredPings) continue
      log.error({ pid: process.pid }, 'unresponsive gateway process killed')
      process.kill('SIGKILL')
    }
  }
  const pingTimer = setInterval(ping, timing.pingIntervalMs)

  return {
    async start() {
      isChanging = true
      try {
        const first = launch()
        // Alone, because it migrates the database and shows whether the settings are right.
        const addresses = await first.ready
        if (isStopping()) return null
        const slot: Slot = { process: first, failures: 0 }
        slots.push(slot)
        assign(slot, first)
        await startOthers()
        return isStopping() ? null : addresses
      } catch (error) {
        if (isStopping()) return null
        throw error
      } finally {
        isChanging = false
      }
    },

    listReady: () => [...live].filter((process) => process.isReady()),

    async restart() {
      if (isChanging || isStopping()) return log.warn({}, 'restart of gateway processes ignored')
      isChanging = true
      log.info({}, 'restart of gateway processes started')
      try {
        for (const slot of slots) if (!isStopping()) await replace(slot)
        if (!isStopping()) log.info({}, 'gateway processes restarted')
      } catch (error) {
        // The processes that are not replaced yet still serve.
        if (!isStopping()) log.error({ failure: describeError(error) }, 'failed to restart gateway processes')
      } finally {
        isChanging = false
      }
    },

    isStopping,

    async stop() {
      stopFilling()
      clearInterval(pingTimer)
      for (const process of live) process.kill('SIGTERM')
      await Promise.all([...live].map(waitForExit))
    },
  }
}
