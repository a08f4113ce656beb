const maxUnslicedRecords = 500
const maxUnslicedScalars = 20_000
const sliceMs = 5
const pauseMs = 1

let lastSliceEndedAt = 0

// When each waiter last checked whether it is first. Waiters poll because, on Workers, one request cannot await
// another's promise. A cancelled request stops polling, so its entry expires.
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

// All lists in this process take turns. Otherwise slices that are due at the same time would run as one long task.
const waitForSlice = async () => {
  const waiter = Symbol('waits for a slice')
  do {
    waiters.set(waiter, performance.now())
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  } while (performance.now() - lastSliceEndedAt < pauseMs || !isFirst(waiter))
  waiters.delete(waiter)
}

export const isLong = (items: readonly unknown[]) =>
  items.length > maxUnslicedRecords && (typeof items[0] === 'object' || items.length > maxUnslicedScalars)

export const mapInSlices = async <T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> => {
  const mapped: R[] = []
  let sliceEnd = 0
  for (const item of items) {
    // On Workers this clock stands still during a task, so all items end up in one slice.
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

export const mapWithoutBlocking = <T, R>(items: readonly T[], map: (item: T) => R): R[] | Promise<R[]> =>
  isLong(items) ? mapInSlices(items, map) : items.map(map)
