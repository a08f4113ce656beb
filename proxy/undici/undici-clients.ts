import { Client, type Dispatcher } from 'undici'
import { type ConnectionSettings, createCoreConnector } from '../node-streams/core-connection.ts'

/** How every connection to the core is used. The caller limits each wait, as undici's own timers are half a second off. */
export const createUndiciOptions = (
  connectTimeoutMs: number,
  settings?: ConnectionSettings,
): Client.Options => ({
  pipelining: 1,
  connect: createCoreConnector(connectTimeoutMs, settings),
  maxHeaderSize: 65_536,
  headersTimeout: 0,
  bodyTimeout: 0,
  // Shorter than the five seconds after which common servers close an idle connection, so no request is sent on
  // a connection that is being closed.
  keepAliveTimeout: 4000,
  keepAliveTimeoutThreshold: 1000,
  allowH2: false,
})

/** Whether undici rejects a request itself, for example because of a character in a header. */
export const isInvalidArgument = (error: Error) => 'code' in error && error.code === 'UND_ERR_INVALID_ARG'

/** A request that has a client of undici, and with it a connection, for itself. */
export interface DispatchedRequest extends Dispatcher.DispatchHandler {
  /** Set by `UndiciClients` alone; null before the dispatch and after the end. */
  undiciClient: Client | null
  readonly dispatchOptions: Dispatcher.DispatchOptions
}

/**
 * Clients of undici, each with one connection and one request at a time. The one that was used last is used next, so
 * that those which are not needed become idle and close their connections.
 *
 * Not a `Pool`, which searches its clients one by one for each request, and leaves a client unused until undici has
 * handled the end of its response. Here a request may be dispatched to its client within `onResponseEnd`: undici sends it
 * in the next iteration of the event loop, as bytes that follow the response have to be found before, and neither
 * starts its timer for idle connections nor waits for one more iteration. See dev/bench/README.md.
 */
export class UndiciClients {
  readonly #create: () => Client
  readonly #all = new Set<Client>()
  readonly #unused: Client[] = []
  readonly #closing = new Set<Promise<void>>()
  #isClosed = false

  constructor(origin: string, options: Client.Options) {
    this.#create = () => new Client(origin, options)
  }

  dispatch(request: DispatchedRequest) {
    const client = this.#unused.pop() ?? this.#add()
    request.undiciClient = client
    client.dispatch(request.dispatchOptions, request)
    if (this.#isClosed) this.#close(client)
  }

  /**
   * Sends a request once more, on a connection of its own that is closed after the response. A core that restarts breaks
   * all idle connections at once, so a request that failed on one of them would fail on the next as well.
   */
  dispatchAgain(request: DispatchedRequest) {
    this.discard(request)
    const client = this.#create()
    client.dispatch(request.dispatchOptions, request)
    // A client that closes still completes the requests that it was given before.
    this.#close(client)
  }

  /** To be called when the response has ended. */
  release(request: DispatchedRequest) {
    const client = request.undiciClient
    request.undiciClient = null
    if (client) this.#unused.push(client)
  }

  /**
   * To be called when the request has failed. Its client is closed: undici does not expect another request while it
   * reports the failure of the last one, and asserts that.
   */
  discard(request: DispatchedRequest) {
    const client = request.undiciClient
    request.undiciClient = null
    if (!client) return
    // Without any client that rejects them, requests that are still queued would open new connections.
    if (this.#isClosed) this.#unused.push(client)
    else this.#close(client)
  }

  /** Fails the request with `reason`, also while its connection is being made. */
  destroy({ undiciClient }: DispatchedRequest, reason: Error) {
    // A connection that is made nevertheless is closed by undici.
    undiciClient?.destroy(reason, () => {})
  }

  /** Connections that are open, and requests that wait for one. */
  usage() {
    let open = 0
    let connecting = 0
    for (const { stats } of this.#all) {
      if (stats.connected) open += 1
      else connecting += stats.pending
    }
    return { open, connecting }
  }

  /** Resolves when the running requests have ended and their connections are closed. */
  async close() {
    this.#isClosed = true
    for (const client of this.#all) this.#close(client)
    // Requests that are dispatched meanwhile have clients of their own.
    while (this.#closing.size > 0) await Promise.all(this.#closing)
  }

  #add() {
    const client = this.#create()
    this.#all.add(client)
    return client
  }

  #close(client: Client) {
    this.#all.delete(client)
    // The callback, because the promise of `close` rejects where the client is closed already.
    const closed = new Promise<void>((resolve) => client.close(resolve)).finally(() =>
      this.#closing.delete(closed),
    )
    this.#closing.add(closed)
  }
}
