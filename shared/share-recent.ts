const maxSharedAgeMs = 1000

/**
 * Calls `read` at most once a second, and never concurrently. Callers share the result or error, which is at most a
 * second old unless `read` takes longer.
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
    if (shared === undefined || !(isPending || now() - startedAt < maxSharedAgeMs)) shared = start()
    return shared
  }
}
