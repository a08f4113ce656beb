import { Client, type Dispatcher } from 'undici'

/** A request that has a client of undici, and with it a connection, for itself. */
export interface ClientUser extends Dispatcher.DispatchHandler {
  /** Set by `CoreClients` alone; null before the dispatch and after the end. */
  coreClient: Client | null
  readonly dispatchOptions: Dispatcher.DispatchOptions
}

/**
 * Clients of undici, each with one connection and one request at a time. The one that was used last is used next, so
 * that those which are not needed become idle and close their connections.
 *
 * Not a `Pool`, which searches its clients one by one for each request, and leaves a client unused until undici has
 * handled the end of its response. Here a request may be dispatched to its client within `onResponseEnd`: undici sends it
 * in the next iteration of the event loop, as bytes that follow the response have to be found before, and neither
 * starts its timer for idle connections nor waits for one more iteration. See bench/README.md.
 */
export class CoreClients {
  readonly #create: () => Client
  readonly #all = new Set<Client>()
  readonly #unused: Client[] = []
  readonly #closing = new Set<Promise<void>>()
  #isClosed = false

  constructor(origin: string, options: Client.Options) {
    this.#create = () => new Client(origin, options)
  }

  dispatch(user: ClientUser) {
    const client = this.#unused.pop() ?? this.#add()
    user.coreClient = client
    client.dispatch(user.dispatchOptions, user)
    if (this.#isClosed) this.#close(client)
  }

  /**
   * Sends a request once more, on a connection of its own that is closed after the response. A core that restarts breaks
   * all idle connections at once, so a request that failed on one of them would fail on the next as well.
   */
  dispatchAgain(user: ClientUser) {
    this.discard(user)
    const client = this.#create()
    client.dispatch(user.dispatchOptions, user)
    // A client that closes still completes the requests that it was given before.
    this.#close(client)
  }

  /** To be called when the response has ended. */
  release(user: ClientUser) {
    const client = user.coreClient
    user.coreClient = null
    if (client) this.#unused.push(client)
  }

  /**
   * To be called when the request has failed. Its client is closed: undici does not expect another request while it
   * reports the failure of the last one, and asserts that.
   */
  discard(user: ClientUser) {
    const client = user.coreClient
    user.coreClient = null
    if (!client) return
    // Without any client that rejects them, requests that are still queued would open new connections.
    if (this.#isClosed) this.#unused.push(client)
    else this.#close(client)
  }

  /** Fails the request with `reason`, also while its connection is being made. */
  destroy({ coreClient }: ClientUser, reason: Error) {
    // A connection that is made nevertheless is closed by undici.
    coreClient?.destroy(reason, () => {})
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
