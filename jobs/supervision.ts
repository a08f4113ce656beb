// With the heartbeat timeout of the queues (ten seconds), these intervals bound how long a crashed worker goes unnoticed,
// also if it was the supervisor: 15 seconds.
/** Interval of the supervisor. */
export const superviseIntervalMs = 5000
const takeoverAfterMs = 10_000
const takeoverSpreadMs = 5000
// A supervisor compares its own pass, which is as old as its interval, with that of another one since. Others allow for a
// supervisor that is late.
const supersededWithinMs = 4000
const supervisedWithinMs = 7500
// A timer may fire a little early, and what waits for the exact time would need another statement.
const timerToleranceMs = 5

interface SupervisionOptions {
  /** Supervises the queues, unless another worker did so less than an interval ago. */
  readonly supervise: () => Promise<void>
  readonly onError: (error: unknown) => void
  /** Called with the time of the next `update`, in milliseconds of `performance.now()`. */
  readonly onScheduled: (at: number) => void
}

/**
 * Lets exactly one worker supervise the queues. Each worker begins as the supervisor, stops when it sees that another one has
 * supervised since, and takes over when none has for ten to 15 seconds.
 */
export const createSupervision = ({ supervise, onError, onScheduled }: SupervisionOptions) => {
  let isSupervisor = true
  let nextAt = performance.now() + superviseIntervalMs
  let supervising: Promise<void> = Promise.resolve()

  const scheduleNext = (at: number) => {
    nextAt = at
    onScheduled(at)
  }
  // The next one counts from the end, so the own claim is always older than an interval by then.
  const run = async () => {
    await supervise().catch(onError)
    scheduleNext(performance.now() + superviseIntervalMs)
  }

  return {
    isSupervisor: () => isSupervisor,
    nextAt: () => nextAt,
    /** Called with the seconds since any worker has supervised; null if none ever did. */
    update(supervisedS: number | null) {
      const now = performance.now()
      if (now < nextAt - timerToleranceMs) return
      const ageMs = supervisedS === null ? Number.POSITIVE_INFINITY : supervisedS * 1000
      isSupervisor = ageMs >= (isSupervisor ? supersededWithinMs : supervisedWithinMs)
      if (isSupervisor) {
        nextAt = Number.POSITIVE_INFINITY
        supervising = run()
      } else scheduleNext(now - ageMs + takeoverAfterMs + Math.random() * takeoverSpreadMs)
    },
    /** Waits until a pass has ended. */
    finish: () => supervising,
  }
}
