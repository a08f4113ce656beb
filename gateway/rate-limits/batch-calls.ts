// Optimized: see "GET of a share link by its token" in dev/bench/results/sharing.md.
import { runOutsideTraces } from '#shared/tracing/trace.ts'

/**
 * Combines single calls into batches: calls made while a batch runs go into the next one. `callAll` must return one
 * result per argument, in order, and must not fail.
 */
export const batchCalls = <A, R>(callAll: (batch: readonly A[]) => Promise<readonly R[]>) => {
  let nextBatch: { readonly batch: A[]; readonly results: Promise<readonly R[]> } | null = null
  let running: Promise<unknown> = Promise.resolve()

  const openBatch = () => {
    const batch: A[] = []
    const results = running.then(() => {
      nextBatch = null
      return runOutsideTraces(() => callAll(batch))
    })
    running = results
    return { batch, results }
  }

  return async (argument: A): Promise<R> => {
    nextBatch ??= openBatch()
    const { batch, results } = nextBatch
    const index = batch.push(argument) - 1
    const result = (await results)[index]
    if (result === undefined) throw new Error('a batch returned too few results')
    return result
  }
}
