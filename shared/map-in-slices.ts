const maxUnslicedRecords = 500
const maxUnslicedScalars = 20_000
const sliceMs = 5
const pauseMs = 1

let lastSliceEndedAt = 0

// By the time of the last check. On Workers a request cannot wait for another one, and one that was cancelled checks no more.
const waiters = new Map<symbol, number>()
const waiterTtlMs = 1000

const isFirst = (waiter: symbol) => {
  for (const [other, checkedAt] of waiters) {
    if (other === waiter) return true
    if (performance.now() - checkedAt < waiterTtlMs) return false
    waiters.delete(other)
  }
  return true
}

// The slices of all lists in this process run in turn: those that are due together would otherwise run as one long task.
const waitForSlice = async () => {
  const waiter = Symbol('waits for a slice')
  do {
    waiters.set(waiter, performance.now())
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  } while (performance.now() - lastSliceEndedAt < pauseMs || !isFirst(waiter))
  waiters.delete(waiter)
}

/** Whether processing all of these items in one task could delay other requests noticeably. */
export const isLong = (items: readonly unknown[]) =>
  items.length > maxUnslicedRecords && (typeof items[0] === 'object' || items.length > maxUnslicedScalars)

/** Maps the items in slices of a few milliseconds, with other work of the process in between. */
export const mapInSlices = async <T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> => {
  const mapped: R[] = []
  let sliceEnd = 0
  for (const item of items) {
    // On Workers this clock does not advance during a task, so only the first slice waits.
    if (performance.now() >= sliceEnd) {
      if (mapped.length > 0) lastSliceEndedAt = performance.now()
      await waitForSlice()
      sliceEnd = performance.now() + sliceMs
    }
    mapped.push(map(item))
  }
  lastSliceEndedAt = performance.now()
  return mapped
}

/** Maps the items at once, or in slices if there are many. */
export const mapWithoutBlocking = <T, R>(items: readonly T[], map: (item: T) => R): R[] | Promise<R[]> =>
  isLong(items) ? mapInSlices(items, map) : items.map(map)
