const checkIntervalMs = 5
/** A response that waits longer for the event loop makes a poll of a healthy database seem slow. */
const maxDelayMs = 50

/**
 * Measures a poll of the database. `isDelayed` is whether this process could not handle its response at once, because the
 * event loop or the machine was busy.
 */
export const startPollMeasurement = () => {
  const startedAt = performance.now()
  let dueAt = startedAt + checkIntervalMs
  let maxLatenessMs = 0
  const timer = setInterval(() => {
    maxLatenessMs = Math.max(maxLatenessMs, performance.now() - dueAt)
    dueAt = performance.now() + checkIntervalMs
  }, checkIntervalMs)
  return {
    finish() {
      clearInterval(timer)
      const now = performance.now()
      return { durationMs: now - startedAt, isDelayed: Math.max(maxLatenessMs, now - dueAt) > maxDelayMs }
    },
  }
}
