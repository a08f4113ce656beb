/**
 * A timer this many milliseconds late shows that the process was paused or its event loop blocked. It has not read what
 * arrived meanwhile, so that time must not count towards a timeout.
 */
export const pausedMs = 1000

/**
 * Calls `onTimeout` after `ms` milliseconds. Starts over if the process was paused, but only once, so that it also ends
 * if the event loop is always late. Returns a function that cancels the timeout.
 */
export const startTimer = (ms: number, onTimeout: () => void): (() => void) => {
  let timer: ReturnType<typeof setTimeout>
  const start = (isAgain: boolean) => {
    const dueAt = performance.now() + ms
    timer = setTimeout(() => {
      if (!isAgain && performance.now() - dueAt > pausedMs) start(true)
      else onTimeout()
    }, ms)
  }
  start(false)
  return () => clearTimeout(timer)
}
