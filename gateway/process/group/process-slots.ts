import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from '#shared/describe-error.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import type { Log } from '../../observability/log.ts'
import type { GatewayProcess } from './gateway-process.ts'
import type { SupervisorTiming } from './supervisor-timing.ts'

/** The place of one process and of those that are started after it. */
export interface Slot {
  process: GatewayProcess | null
  /** How many have exited soon after their start, in a row. */
  failures: number
}

interface SlotOptions {
  readonly start: () => GatewayProcess
  readonly log: Log
  readonly timing: SupervisorTiming
}

/** Starts processes, and starts another one for a slot whose process has exited. */
export const createProcessSlots = ({ start, log, timing }: SlotOptions) => {
  const live = new Set<GatewayProcess>()
  let isStopping = false

  const launch = () => {
    const process = start()
    live.add(process)
    void process.exited.then(() => live.delete(process))
    const kill = () => {
      log.error({ pid: process.pid }, 'gateway process killed because it did not start in time')
      process.kill('SIGKILL')
    }
    withTimeout(timing.startTimeoutMs, process.ready, kill).catch(() => {})
    return process
  }

  const getRestartDelay = (slot: Slot, ranMs: number) => {
    slot.failures = ranMs < timing.stableMs ? slot.failures + 1 : 0
    const delayMs = timing.minRestartDelayMs * 2 ** Math.max(slot.failures - 1, 0)
    return Math.min(delayMs, timing.maxRestartDelayMs)
  }

  const assign = (slot: Slot, process: GatewayProcess) => {
    slot.process = process
    void process.exited.then(async (exit) => {
      // Another one may serve in its place.
      if (isStopping || slot.process !== process) return
      const restartDelayMs = getRestartDelay(slot, performance.now() - process.startedAt)
      log.error({ pid: process.pid, ...exit, restartDelayMs }, 'gateway process exited')
      await sleep(restartDelayMs)
      await fill(slot)
    })
  }

  /** Starts a process for a slot unless it has a live one, and tries again while the system cannot start one. */
  const fill = async (slot: Slot) => {
    while (!isStopping && (slot.process === null || !live.has(slot.process))) {
      try {
        return assign(slot, launch())
      } catch (error) {
        const restartDelayMs = getRestartDelay(slot, 0)
        log.error({ failure: describeError(error), restartDelayMs }, 'failed to start gateway process')
        await sleep(restartDelayMs)
      }
    }
  }

  return {
    live,
    launch,
    /** Makes a process that of a slot. */
    assign,
    fill,
    /** Starts no further process for a slot. */
    stopFilling() {
      isStopping = true
    },
    isStopping: () => isStopping,
  }
}
