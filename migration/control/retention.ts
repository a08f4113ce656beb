const maxBatches = 20
const intervalMs = 600_000

/**
 * Takes rows in up to 20 batches, and stops after a batch that is not full. `take` returns how many rows it took, or
 * null if another instance is taking them. Returns false after a null.
 */
export const inBatches = async (batch: number, take: () => Promise<number | null>): Promise<boolean> => {
  for (let batches = 0; batches < maxBatches; batches += 1) {
    const taken = await take()
    if (taken === null) return false
    if (taken < batch) break
  }
  return true
}

/** Returns a function that does the work on its first call, and then at most every ten minutes. */
export const atMostEveryTenMinutes = (work: () => Promise<void>) => {
  let startedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - startedAt < intervalMs) return
    startedAt = performance.now()
    await work()
  }
}
