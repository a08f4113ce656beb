import { Client, type Dispatcher } from 'undici'

export interface FreshDispatch {
  /** Sends a request on a connection of its own, which is closed after the response. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void
  /** Resolves when the running requests have ended and their connections are closed. */
  close(): Promise<void>
}

/**
 * Sends requests that must not reuse a connection: a core that restarts breaks all idle connections of a pool at once, so
 * a request that failed on one of them would fail on the next as well.
 */
export const createFreshDispatch = (origin: string, options: Client.Options): FreshDispatch => {
  const closing = new Set<Promise<void>>()
  return {
    dispatch(dispatchOptions, handler) {
      const client = new Client(origin, options)
      client.dispatch(dispatchOptions, handler)
      // A client that closes still completes the requests that it was given before.
      const closed = client.close().finally(() => closing.delete(closed))
      closing.add(closed)
    },
    async close() {
      await Promise.all(closing)
    },
  }
}
