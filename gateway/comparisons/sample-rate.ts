export interface SampleRate {
  /** Whether no attempt of the current second is left. Costs nothing, not even the time. */
  isExhausted(): boolean
  /** Takes one attempt; false if none is left. */
  take(): boolean
}

const secondMs = 1000

/**
 * Permits at most `perSecond` attempts in the second that begins with the first of them. What decides whether a response
 * is compared takes up to a tenth of the time of a request, so that it must not be done for each of them.
 */
export const createSampleRate = (perSecond: number): SampleRate => {
  let attempts = 0
  const beginSecond = () => {
    const timer = setTimeout(() => {
      attempts = 0
    }, secondMs)
    timer.unref()
  }
  const isExhausted = () => attempts >= perSecond
  return {
    isExhausted,
    take() {
      if (isExhausted()) return false
      if (attempts === 0) beginSecond()
      attempts += 1
      return true
    },
  }
}
