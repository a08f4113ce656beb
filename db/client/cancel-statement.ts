import { withTimeout } from '#shared/with-timeout.ts'
import type { Session } from './session.ts'

/** The members of the driver's query that its type lacks. */
interface SentQuery {
  /** Whether the next response belongs to this query. */
  readonly active?: boolean
  /** Rejects if the connection for the request fails; its public method `cancel` discards this promise. */
  readonly canceller?: ((query: unknown) => Promise<unknown>) | null
}

const sentQueryOf = (query: PromiseLike<unknown>) => query as unknown as SentQuery

const repeatMs = 400
const requestMs = 250

/**
 * The result of a query, which is cancelled by a cancel request after the timeout of the session, as the server would do
 * by itself. The request is repeated while it has no effect. A query that waits behind another one is not cancelled,
 * because the driver would assign the next response to the wrong query: the connection must not be shared.
 *
 * A request that is still on its way when the query ends would cancel the next one on the connection. So the result waits
 * for it, and if that takes too long, the session is not used again.
 */
export const cancelAfterTimeout = async <T>(
  session: Pick<Session, 'isConnected'>,
  timeoutMs: number,
  query: PromiseLike<unknown>,
  result: PromiseLike<T>,
): Promise<T> => {
  let requests: Promise<unknown> | undefined
  const cancel = () => {
    const sent = sentQueryOf(query)
    if (sent.active) requests = Promise.allSettled([requests, sent.canceller?.(query)])
    timer = setTimeout(cancel, repeatMs)
  }
  let timer = setTimeout(cancel, timeoutMs)
  try {
    return await result
  } finally {
    clearTimeout(timer)
    if (requests)
      await withTimeout(requestMs, requests, () => {
        session.isConnected = false
      })
  }
}
