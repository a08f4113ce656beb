import { createConnectionQueue, type PoolUsage, type QueuedConnection } from './connection-queue.ts'
import type { DatabaseServer } from './database-tls.ts'
import type { Session } from './session.ts'
import { DatabaseUnreachable, isReadOnlyServer, withStallTimeout } from './unreachable.ts'

export interface PoolOptions {
  /** Connects a client within a timeout of its own, to another server than the avoided one if there is any. */
  readonly open: (avoided?: DatabaseServer) => Promise<Session>
  readonly size: number
  /** The timeout for a free client. */
  readonly acquireTimeoutMs: number
  /** Whether the sessions reject writes by themselves, so that a rejected one says nothing about the server. */
  readonly readOnly?: boolean
}

/** Calls `recordProgress` whenever the server has responded. */
type Work<T> = (session: Session, recordProgress: () => void) => Promise<T>

export interface Pool {
  /** Runs `work` on an exclusive connection, which is discarded after `stallTimeoutMs` without progress. */
  use<T>(stallTimeoutMs: number, work: Work<T>): Promise<T>
  /**
   * Runs a single read. When every connection is busy, it may share one with other reads, if the server ends slow ones by
   * itself.
   */
  share<T>(stallTimeoutMs: number, work: Work<T>): Promise<T>
  usage(): PoolUsage
  close(): Promise<void>
}

interface PooledClient extends QueuedConnection {
  session: Session | undefined
  connecting?: Promise<Session> | undefined
}

// While the database is down one client at a time tries to connect, this often; the others fail or wait for its result.
const reconnectIntervalMs = 100

/**
 * A pool of clients with one connection each. The driver's own pool has no acquire timeout, assigns queries to
 * connections that are closing and never completes these, and gets slower the longer it is busy. Here a client that
 * has lost its connection is discarded together with the state that the loss left in it.
 */
export const createPool = ({ open, size, acquireTimeoutMs, readOnly = false }: PoolOptions): Pool => {
  let failure: { readonly error: unknown; readonly at: number } | undefined
  let trial: Promise<Session> | undefined
  // Known once a client is connected. A read that waits behind another one cannot be cancelled by a cancel request.
  let endsSlowReads = false
  // A server that rejected a write because it only reads: after a failover, another one accepts writes.
  let avoided: DatabaseServer | undefined
  let closed = false

  const openClient = (): PooledClient => ({
    session: undefined,
    reads: 0,
    lastProgressAt: 0,
    reserved: false,
  })
  const queue = createConnectionQueue<PooledClient>({ open: openClient, size, acquireTimeoutMs })

  const discard = (client: PooledClient) => {
    if (queue.discard(client)) client.session?.sql.end({ timeout: 0 }).catch(() => undefined)
  }

  const establish = async (client: PooledClient) => {
    try {
      // The driver could connect the old client again, but only to the same server.
      client.session?.sql.end({ timeout: 0 }).catch(() => undefined)
      client.session = await open(avoided)
      avoided = undefined
      endsSlowReads = client.session.limits === null
      failure = undefined
      return client.session
    } catch (error) {
      failure = { error, at: performance.now() }
      throw connectionError(error)
    }
  }

  const connect = async (client: PooledClient) => {
    if (failure && performance.now() - failure.at < reconnectIntervalMs) throw connectionError(failure.error)
    if (trial) await trial
    const attempt = establish(client)
    if (!failure) return attempt
    trial = attempt
    return attempt.finally(() => {
      trial = undefined
    })
  }

  const connectOnce = (client: PooledClient) => {
    client.connecting ??= connect(client).finally(() => {
      client.connecting = undefined
    })
    return client.connecting
  }

  const run = async <T>(
    client: PooledClient,
    stallTimeoutMs: number,
    work: Work<T>,
    release: (client: PooledClient) => void,
  ) => {
    // The pool may have been closed while the caller waited for a client.
    if (closed) {
      release(client)
      throw closedError()
    }
    try {
      const session = client.session?.isConnected ? client.session : await connectOnce(client)
      return await withStallTimeout(stallTimeoutMs, (recordProgress) => work(session, recordProgress))
    } catch (error) {
      const isReadOnly = !readOnly && isReadOnlyServer(error)
      if (isReadOnly) avoided = client.session?.server
      if (isReadOnly || error instanceof DatabaseUnreachable) discard(client)
      throw error
    } finally {
      release(client)
    }
  }

  const use: Pool['use'] = async (stallTimeoutMs, work) => {
    if (closed) throw closedError()
    return run(await queue.acquireExclusive(), stallTimeoutMs, work, queue.releaseExclusive)
  }

  return {
    use,
    async share(stallTimeoutMs, work) {
      if (closed) throw closedError()
      if (!endsSlowReads) return use(stallTimeoutMs, work)
      return run(await queue.acquireShared(), stallTimeoutMs, work, queue.releaseShared)
    },
    usage: queue.usage,
    async close() {
      closed = true
      await Promise.all([...queue.connections].map(closeClient))
    },
  }
}

const closeClient = async (client: PooledClient) => {
  await client.connecting?.catch(() => undefined)
  await client.session?.sql.end({ timeout: 5 })
}

const closedError = () => new DatabaseUnreachable('the database is closed')

const connectionError = (cause: unknown) =>
  new DatabaseUnreachable('cannot connect to the database', { cause })
