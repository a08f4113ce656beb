import { Client, type Dispatcher } from 'undici'
import { type ConnectionSettings, createCoreConnector } from '../node-streams/core-connection.ts'

/** Callers limit each wait themselves, because undici's timers are off by up to half a second. */
export const createUndiciOptions = (
  connectTimeoutMs: number,
  settings?: ConnectionSettings,
): Client.Options => ({
  pipelining: 1,
  connect: createCoreConnector(connectTimeoutMs, settings),
  maxHeaderSize: 65_536,
  headersTimeout: 0,
  bodyTimeout: 0,
  // Shorter than the five seconds after which common servers close idle connections, so no request goes out on a
  // connection being closed.
  keepAliveTimeout: 4000,
  keepAliveTimeoutThreshold: 1000,
  allowH2: false,
})

/** Whether undici itself rejects a request, for example because of a character in a header. */
export const isInvalidArgument = (error: Error) => 'code' in error && error.code === 'UND_ERR_INVALID_ARG'

export interface DispatchedRequest extends Dispatcher.DispatchHandler {
  /** Set only by `UndiciClients`; null before the dispatch and after the end. */
  undiciClient: Client | null
  readonly dispatchOptions: Dispatcher.DispatchOptions
}

/**
 * undici clients with one connection and one request each. The most recently used client is used next, so surplus ones
 * go idle and close. Not a `Pool`, which searches its clients for each request and frees one only after undici has
 * handled the response's end. Here, the next request starts within `onResponseEnd` (dev/bench/results/forwarding.md).
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

  /** A restarting core breaks all idle connections at once, so another idle one would fail too. */
  dispatchAgain(request: DispatchedRequest) {
    this.discard(request)
    const client = this.#create()
    client.dispatch(request.dispatchOptions, request)
    // A closing client still completes what it was given.
    this.#close(client)
  }

  release(request: DispatchedRequest) {
    const client = request.undiciClient
    request.undiciClient = null
    if (client) this.#unused.push(client)
  }

  /**
   * Call this when the request has failed. Closes its client, because undici asserts that no request arrives while it
   * reports a failure.
   */
  discard(request: DispatchedRequest) {
    const client = request.undiciClient
    request.undiciClient = null
    if (!client) return
    // Keeps the closed client. Without a client to reject them, queued requests would open new connections.
    if (this.#isClosed) this.#unused.push(client)
    else this.#close(client)
  }

  /** Fails the request with `reason`, even while its connection is being made. */
  destroy({ undiciClient }: DispatchedRequest, reason: Error) {
    // If the connection is made after all, undici closes it.
    undiciClient?.destroy(reason, () => {})
  }

  usage() {
    let open = 0
    let connecting = 0
    for (const { stats } of this.#all) {
      if (stats.connected) open += 1
      else connecting += stats.pending
    }
    return { open, connecting }
  }

  /** Resolves once running requests have ended and their connections are closed. */
  async close() {
    this.#isClosed = true
    for (const client of this.#all) this.#close(client)
    // Requests dispatched in the meantime add clients, which are closed too.
    while (this.#closing.size > 0) await Promise.all(this.#closing)
  }

  #add() {
    const client = this.#create()
    this.#all.add(client)
    return client
  }

  #close(client: Client) {
    this.#all.delete(client)
    // Uses the callback, because the promise of `close` rejects if the client is already closed.
    const closed = new Promise<void>((resolve) => client.close(resolve)).finally(() =>
      this.#closing.delete(closed),
    )
    this.#closing.add(closed)
  }
}
