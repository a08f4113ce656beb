/**
 * A timer this many milliseconds late shows that the process was paused or its event loop blocked. It has not read what
 * arrived meanwhile, so that time must not count towards a timeout.
 */
export const pausedMs = 1000

/**
 * Calls `onExpire` once the deadline, which may move meanwhile, has passed. Calls `onPaused` first if the process was
 * paused, but only once, so that it also ends if the event loop is always late. Returns a function that cancels it.
 */
export const startDeadline = (
  readDeadline: () => number,
  onPaused: (now: number) => void,
  onExpire: () => void,
): (() => void) => {
  let timer: ReturnType<typeof setTimeout>
  let wasPaused = false
  // Setting a timer whenever the deadline moves would be expensive. When it fires, it is set again for the time left.
  const wait = (ms: number, startedAt: number) => {
    timer = setTimeout(() => {
      const now = performance.now()
      if (!wasPaused && now - startedAt - ms > pausedMs) {
        wasPaused = true
        onPaused(now)
      }
      const leftMs = readDeadline() - now
      if (leftMs > 0) wait(Math.ceil(leftMs), now)
      else onExpire()
    }, ms)
  }
  const now = performance.now()
  wait(readDeadline() - now, now)
  return () => clearTimeout(timer)
}

/** Calls `onTimeout` after `ms` milliseconds, not counting a pause of the process. Returns a function that cancels it. */
export const startTimer = (ms: number, onTimeout: () => void): (() => void) => {
  let startedAt = performance.now()
  const startOver = (now: number) => {
    startedAt = now
  }
  return startDeadline(() => startedAt + ms, startOver, onTimeout)
}
