/**
 * A timer this many milliseconds late shows that the process was paused or its event loop blocked. It has not read what
 * arrived meanwhile, so that time must not count towards a timeout.
 */
export const pausedMs = 1000

/**
 * Calls `onTimeout` after `ms` milliseconds. Starts over if the process was paused. Returns a function that cancels the
 * timeout.
 */
export const startTimer = (ms: number, onTimeout: () => void): (() => void) => {
  let timer: ReturnType<typeof setTimeout>
  const start = () => {
    const dueAt = performance.now() + ms
    const expire = () => (performance.now() - dueAt > pausedMs ? start() : onTimeout())
    timer = setTimeout(expire, ms)
  }
  start()
  return () => clearTimeout(timer)
}
