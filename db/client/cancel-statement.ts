/** The members of the driver's query that its type lacks. */
interface SentQuery {
  /** Whether the next response belongs to this query. */
  readonly active?: boolean
  /** Rejects if the connection for the request fails; its public method `cancel` discards this promise. */
  readonly canceller?: ((query: unknown) => Promise<unknown>) | null
}

const sentQueryOf = (query: PromiseLike<unknown>) => query as unknown as SentQuery

const repeatMs = 400

/**
 * The result of a query, which is cancelled by a cancel request after a time, as the server would do by itself. The
 * request is repeated while it has no effect. A query that waits behind another one is not cancelled, because the driver
 * would assign the next response to the wrong query: the connection must not be shared.
 */
export const cancelAfter = async <T>(
  ms: number,
  query: PromiseLike<unknown>,
  result: PromiseLike<T>,
): Promise<T> => {
  const cancel = () => {
    const sent = sentQueryOf(query)
    if (sent.active) sent.canceller?.(query).catch(() => undefined)
    timer = setTimeout(cancel, repeatMs)
  }
  let timer = setTimeout(cancel, ms)
  try {
    return await result
  } finally {
    clearTimeout(timer)
  }
}
