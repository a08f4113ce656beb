import { pausedMs } from '#shared/start-timer.ts'

export interface MonitoredRequest {
  /** By `performance.now()`. */
  deadline: number
  /** Position in the monitor's list; -1 if absent. Only the monitor sets it. */
  monitorIndex: number
  /** When it becomes a long stream, by the same clock; infinity for never. */
  longStreamFrom: number
  expire(): void
  /** Called when the process continues after a pause of `pauseMs`. */
  continueAfterPause(pauseMs: number): void
  /** Called at each sweep from `longStreamFrom` on. */
  becomeLongStream(): void
}

export interface DeadlineMonitor<T extends MonitoredRequest> {
  readonly requests: readonly T[]
  add(request: T): void
  delete(request: T): void
}

/**
 * Expires requests that miss their deadline, at most `intervalMs` late. Time for which the process was paused does not
 * count. One timer serves all, so extending a deadline is just an assignment. The requests are in an array, because a
 * busy Set leaves old hash tables behind, which keep half of all requests alive until a full garbage collection.
 * `onSweep` runs after each check, and never while there are no requests.
 */
export const createDeadlineMonitor = <T extends MonitoredRequest>(
  intervalMs: number,
  onSweep: (now: number) => void = () => {},
): DeadlineMonitor<T> => {
  const requests: T[] = []
  let timer: ReturnType<typeof setInterval> | null = null
  let sweptAt = 0
  let wasLate = false

  // Backwards, because the last request takes the place of a deleted one.
  const sweep = () => {
    const now = performance.now()
    const sinceSweepMs = now - sweptAt
    sweptAt = now
    const isLate = sinceSweepMs - intervalMs > pausedMs
    // The process was paused, and has not read what the core and its clients sent meanwhile. If sweeps are late again
    // and again, the event loop is blocked, and requests still have to end.
    const wasPaused = isLate && !wasLate
    wasLate = isLate
    for (let index = requests.length - 1; index >= 0; index--) {
      const request = requests[index]
      if (!request) continue
      if (wasPaused) request.continueAfterPause(sinceSweepMs)
      if (request.deadline <= now) request.expire()
      else if (request.longStreamFrom <= now) request.becomeLongStream()
    }
    onSweep(now)
    if (requests.length > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }

  return {
    requests,
    add(request) {
      request.monitorIndex = requests.push(request) - 1
      if (timer !== null) return
      sweptAt = performance.now()
      wasLate = false
      timer = setInterval(sweep, intervalMs).unref()
    },
    delete(request) {
      if (request.monitorIndex < 0) return
      const last = requests.pop()
      if (last && last !== request) {
        requests[request.monitorIndex] = last
        last.monitorIndex = request.monitorIndex
      }
      request.monitorIndex = -1
    },
  }
}
