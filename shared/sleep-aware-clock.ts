/** Less than this may come from an adjustment of the machine's clock. */
const minSleepMs = 1000

/**
 * Returns a clock in milliseconds that never goes back and, unlike `performance.now()` on Linux, advances while the
 * machine sleeps. If the machine's clock is set forward by a second or more, that counts as sleep too.
 */
export const createSleepAwareClock = (): (() => number) => {
  let ahead = Date.now() - performance.now()
  let sleptMs = 0
  return () => {
    const now = performance.now()
    const gainedMs = Date.now() - now - ahead
    if (Math.abs(gainedMs) >= minSleepMs) {
      ahead += gainedMs
      sleptMs += Math.max(0, gainedMs)
    }
    return now + sleptMs
  }
}
