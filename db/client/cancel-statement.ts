/** The members of the driver's query that its type lacks. */
interface SentQuery {
  /** Whether the next response belongs to this query. */
  readonly active?: boolean
  /** Rejects if the connection for the request fails; its public method `cancel` discards this promise. */
  readonly canceller?: ((query: unknown) => Promise<unknown>) | null
}

const sentQueryOf = (query: PromiseLike<unknown>) => query as unknown as SentQuery

/**
 * The result of a query, which is cancelled by a cancel request after a time, as the server would do by itself. A query
 * that waits behind another one on a shared connection is not cancelled, because the driver would assign the next
 * response to the wrong query; the deadline of the pool ends it.
 */
export const cancelAfter = async <T>(
  ms: number,
  query: PromiseLike<unknown>,
  result: PromiseLike<T>,
): Promise<T> => {
  const timer = setTimeout(() => {
    const sent = sentQueryOf(query)
    if (sent.active) sent.canceller?.(query).catch(() => undefined)
  }, ms)
  try {
    return await result
  } finally {
    clearTimeout(timer)
  }
}
