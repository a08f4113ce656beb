const maxAgeMs = 1000

/**
 * Calls `read` at most once a second and once at a time, however often its result is requested: callers share it, whether
 * it succeeds or fails. A result is at most a second old unless `read` itself takes longer.
 */
export const shareRecent = <T>(
  read: () => Promise<T>,
  now: () => number = () => performance.now(),
): (() => Promise<T>) => {
  let shared: Promise<T> | undefined
  let isPending = false
  let startedAt = 0

  const start = () => {
    isPending = true
    startedAt = now()
    return read().finally(() => {
      isPending = false
    })
  }

  return () => {
    if (shared === undefined || !(isPending || now() - startedAt < maxAgeMs)) shared = start()
    return shared
  }
}
