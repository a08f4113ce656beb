// Optimized: see "GET of a share link by its token" in bench/results/sharing.md.
/**
 * Makes single calls of one that takes many: what comes while a call is under way goes with the next. `callAll` gives
 * a result for each argument, in their order, and must not fail.
 */
export const batchCalls = <A, R>(callAll: (batch: readonly A[]) => Promise<readonly R[]>) => {
  let gathering: { readonly batch: A[]; readonly results: Promise<readonly R[]> } | null = null
  let underWay: Promise<unknown> = Promise.resolve()

  const open = () => {
    const batch: A[] = []
    const results = underWay.then(() => {
      gathering = null
      return callAll(batch)
    })
    underWay = results
    return { batch, results }
  }

  return async (argument: A): Promise<R> => {
    gathering ??= open()
    const { batch, results } = gathering
    const place = batch.push(argument) - 1
    const result = (await results)[place]
    if (result === undefined) throw new Error('a call of a batch has no result')
    return result
  }
}
