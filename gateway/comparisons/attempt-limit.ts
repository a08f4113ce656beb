export interface AttemptLimit {
  /** Whether no attempt of the current second is left. */
  isExhausted(): boolean
  /** Takes one attempt of the current second; false if there is none left. */
  take(): boolean
}

/**
 * Permits at most `perSecond` attempts in each second of a monotonic clock. What decides whether a response is compared
 * takes up to a tenth of the time of a request, so that it must not be done for each of them.
 */
export const createAttemptLimit = (
  perSecond: number,
  now: () => number = () => performance.now(),
): AttemptLimit => {
  let second = Number.NEGATIVE_INFINITY
  let attempts = 0
  const isExhausted = () => {
    const current = Math.floor(now() / 1000)
    if (current !== second) {
      second = current
      attempts = 0
    }
    return attempts >= perSecond
  }
  return {
    isExhausted,
    take() {
      if (isExhausted()) return false
      attempts += 1
      return true
    },
  }
}
