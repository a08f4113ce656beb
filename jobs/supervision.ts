// Together with the queues' heartbeat timeout of ten seconds, these intervals ensure that a crashed worker is noticed
// within 15 seconds, even if it was the supervisor.
export const superviseIntervalMs = 5000
const takeoverAfterMs = 10_000
const takeoverSpreadMs = 5000
// When a supervisor checks, its own last pass is one interval old, so a younger pass is another worker's. The longer
// limit is for the other workers, which allow for a late supervisor.
const supersededWithinMs = 4000
const supervisedWithinMs = 7500
// A timer may fire slightly early, and waiting for the exact time would take another statement.
const timerToleranceMs = 5

interface SupervisionOptions {
  readonly supervise: () => Promise<void>
  readonly onError: (error: unknown) => void
  /** Called with the time when `update` is next due, on the clock of `performance.now()`. */
  readonly onScheduled: (at: number) => void
}

/**
 * Each worker starts as the supervisor, stops if it sees that another has supervised since, and takes over after ten to
 * 15 seconds without a supervisor.
 */
export const createSupervision = ({ supervise, onError, onScheduled }: SupervisionOptions) => {
  let isSupervisor = true
  let nextAt = performance.now() + superviseIntervalMs
  let supervising: Promise<void> = Promise.resolve()

  const scheduleNext = (at: number) => {
    nextAt = at
    onScheduled(at)
  }
  // The interval begins at the end of a pass, so at the next pass our own claim is always older than an interval.
  const run = async () => {
    await supervise().catch(onError)
    scheduleNext(performance.now() + superviseIntervalMs)
  }

  return {
    isSupervisor: () => isSupervisor,
    nextAt: () => nextAt,
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
    finish: () => supervising,
  }
}
