import { BucketHistogram } from '#shared/histogram.ts'
import { startDeadline, startTimer } from '#shared/start-timer.ts'
import type { DatabaseServer } from './database-tls.ts'
import type { Session } from './session.ts'
import { type OpenSession, paceAttempts } from './session-opener.ts'
import { DatabaseUnreachable, isReadOnlyServer, readConnectionLimit } from './unreachable.ts'

interface PoolOptions {
  readonly open: OpenSession
  readonly size: number
  readonly acquireTimeoutMs: number
  /** Whether the sessions are read-only. If so, a rejected write does not mean that the server is read-only too. */
  readonly readOnly?: boolean
  readonly onLimited?: ((message: string, connections: number) => void) | undefined
}

/** `work` must call `recordProgress` whenever the server has responded. */
type Work<T> = (session: Session, recordProgress: () => void) => Promise<T>

export interface Pool {
  /** Runs `work` on an exclusive connection, which is discarded after `stallTimeoutMs` without progress. */
  use<T>(stallTimeoutMs: number, work: Work<T>): Promise<T>
  /**
   * Runs a single read. If every connection is busy and the server itself ends slow reads, the read may share a
   * connection.
   */
  share<T>(stallTimeoutMs: number, work: Work<T>): Promise<T>
  usage(): PoolUsage
  close(): Promise<void>
}

export interface PoolUsage {
  readonly size: number
  readonly inUse: number
  readonly waiting: number
  /** Seconds until a caller got a connection or timed out. 0 if a connection was free. */
  readonly acquireTimes: BucketHistogram
}

interface Connection {
  session?: Session
  connecting?: Promise<Session> | undefined
  reads: number
  /** When reads last made progress: when the first one started or the latest one ended. In milliseconds. */
  lastProgressAt: number
  reserved: boolean
}

interface AssignmentOptions extends Pick<PoolOptions, 'size' | 'acquireTimeoutMs'> {
  readonly now?: () => number
}

interface Waiter {
  readonly arrival: number
  proceed(connection: Connection): void
}

// In seconds. The bucket 0 counts the callers that got a free connection.
const acquireBounds = [0, 0.001, 0.005, 0.025, 0.1, 0.5, 2]
// After this long without progress, a connection takes no more reads.
const stalledMs = 10
const maxReads = 16
// How long the pool keeps the size that the server limited it to.
const limitedMs = 5000

/** Assigns a pool's connections by the rules in docs/shared-connections.md. */
export const assignConnections = (options: AssignmentOptions) => {
  const { size, acquireTimeoutMs, now = () => performance.now() } = options
  const connections = new Set<Connection>()
  const idle: Connection[] = []
  const shared = new Set<Connection>()
  const exclusiveWaiters = new Set<Waiter>()
  const readWaiters = new Set<Waiter>()
  const acquireTimes = new BucketHistogram(acquireBounds)
  let arrivals = 0
  let limit = { size, until: Number.NEGATIVE_INFINITY }

  const wait = (waiters: Set<Waiter>) =>
    new Promise<Connection>((resolve, reject) => {
      const waitsSince = now()
      const end = () => {
        cancelTimer()
        waiters.delete(waiter)
        acquireTimes.observe((now() - waitsSince) / 1000)
      }
      const waiter: Waiter = {
        arrival: arrivals++,
        proceed(connection) {
          end()
          resolve(connection)
        },
      }
      const cancelTimer = startTimer(acquireTimeoutMs, () => {
        end()
        reject(new DatabaseUnreachable(`no connection became free within ${acquireTimeoutMs} ms`))
      })
      waiters.add(waiter)
    })

  const addConnection = () => {
    const connection: Connection = { reads: 0, lastProgressAt: 0, reserved: false }
    connections.add(connection)
    return connection
  }

  const readSize = () => (now() < limit.until ? limit.size : size)

  const takeUnused = () => idle.pop() ?? (connections.size < readSize() ? addConnection() : undefined)

  const findLeastReads = (isEligible: (connection: Connection) => boolean) => {
    let best: Connection | undefined
    for (const connection of shared)
      if (!connection.reserved && isEligible(connection) && connection.reads < (best?.reads ?? maxReads))
        best = connection
    return best
  }

  const findShareable = () => {
    const stalledSince = now() - stalledMs
    return findLeastReads(({ lastProgressAt }) => lastProgressAt > stalledSince)
  }

  const addRead = (connection: Connection) => {
    if (connection.reads === 0) connection.lastProgressAt = now()
    connection.reads += 1
    shared.add(connection)
    return connection
  }

  // None is reserved yet if all connections were full when the caller arrived.
  const reserveIfNeeded = (connection: Connection) => {
    if (exclusiveWaiters.size === 0) return
    const stalledSince = now() - stalledMs
    for (const other of shared) if (other.reserved && other.lastProgressAt > stalledSince) return
    connection.reserved = true
  }

  const admitReads = () => {
    for (const waiter of readWaiters) {
      const connection = findShareable()
      if (!connection) return
      waiter.proceed(addRead(connection))
    }
  }

  const releaseExclusive = (connection: Connection) => {
    if (!connections.has(connection)) return
    connection.reserved = false
    const [exclusive] = exclusiveWaiters
    const [read] = readWaiters
    if (read && !(exclusive && exclusive.arrival < read.arrival)) {
      // Otherwise new reads could keep joining this connection until the exclusive waiter times out.
      connection.reserved = exclusive !== undefined
      read.proceed(addRead(connection))
      admitReads()
    } else if (exclusive) exclusive.proceed(connection)
    else idle.push(connection)
  }

  return {
    connections,
    usage: (): PoolUsage => ({
      size,
      inUse: connections.size - idle.length,
      waiting: exclusiveWaiters.size + readWaiters.size,
      acquireTimes,
    }),
    acquireExclusive(): Connection | Promise<Connection> {
      const unused = takeUnused()
      if (unused) {
        acquireTimes.observe(0)
        return unused
      }
      const next = findShareable() ?? findLeastReads(() => true)
      if (next) next.reserved = true
      return wait(exclusiveWaiters)
    },
    acquireShared(): Connection | Promise<Connection> {
      const connection = takeUnused() ?? (readWaiters.size === 0 ? findShareable() : undefined)
      if (!connection) return wait(readWaiters)
      acquireTimes.observe(0)
      return addRead(connection)
    },
    releaseExclusive,
    releaseShared(connection: Connection) {
      connection.reads -= 1
      connection.lastProgressAt = now()
      if (connection.reads === 0) {
        shared.delete(connection)
        releaseExclusive(connection)
      } else reserveIfNeeded(connection)
      admitReads()
    },
    /**
     * Removes a connection that the server does not allow. For five seconds the pool keeps its smaller size, and
     * waiters wait for the remaining connections. Returns false if this one was already removed or is the only one.
     */
    giveUp(connection: Connection): boolean {
      if (!connections.has(connection) || connections.size === 1) return false
      connections.delete(connection)
      shared.delete(connection)
      limit = { size: connections.size, until: now() + limitedMs }
      return true
    },
    /** Returns false if the connection was already removed. */
    discard(connection: Connection): boolean {
      if (!connections.delete(connection)) return false
      shared.delete(connection)
      if (exclusiveWaiters.size + readWaiters.size > 0) releaseExclusive(addConnection())
      return true
    },
  }
}

/**
 * A pool of sessions with one connection each. The driver's own pool has no acquire timeout, loses queries on closing
 * connections, and gets slower the longer it is busy. In this pool, a session that has lost its connection is discarded
 * with any state it left behind.
 */
export const createPool = ({
  open,
  size,
  acquireTimeoutMs,
  readOnly = false,
  onLimited = () => {},
}: PoolOptions): Pool => {
  const openPaced = paceAttempts(open)
  const assigned = assignConnections({ size, acquireTimeoutMs })
  // False until a session is open. Reads share a connection only if the server ends slow reads, because a cancel
  // request cannot end a read that waits behind another one.
  let endsSlowReads = false
  // The server that rejected a write as read-only. After a failover, a different server accepts writes.
  let avoided: DatabaseServer | undefined
  let closed = false
  let limitReportedAt = Number.NEGATIVE_INFINITY

  const connect = async (connection: Connection) => {
    // Ends the old session, because the driver would reconnect it only to the same server.
    endNow(connection)
    const session = await openPaced(avoided)
    connection.session = session
    avoided = undefined
    endsSlowReads = session.limits === null
    return session
  }

  const connectOnce = (connection: Connection) => {
    connection.connecting ??= connect(connection).finally(() => {
      connection.connecting = undefined
    })
    return connection.connecting
  }

  // If other connections are open or opening, the database is not down, so the caller can wait for one of them.
  const waitsForOthers = (connection: Connection, error: unknown) => {
    const message = readConnectionLimit(error)
    if (message === null) return false
    const isOpen = ({ session, connecting }: Connection) => session?.isConnected || connecting !== undefined
    const others = [...assigned.connections].filter((other) => other !== connection && isOpen(other))
    if (others.length === 0) return false
    assigned.giveUp(connection)
    if (performance.now() - limitReportedAt >= limitedMs) {
      limitReportedAt = performance.now()
      onLimited(message, others.length)
    }
    return true
  }

  const run = async <T>(
    acquire: () => Connection | Promise<Connection>,
    release: (connection: Connection) => void,
    stallTimeoutMs: number,
    work: Work<T>,
  ): Promise<T> => {
    const connection = await acquire()
    // The pool may have been closed while the caller was waiting.
    if (closed) {
      release(connection)
      throw closedError()
    }
    let hasSession = false
    try {
      const { session } = connection
      const connected = session?.isConnected ? session : await connectOnce(connection)
      hasSession = true
      return await withStallTimeout(stallTimeoutMs, (recordProgress) => work(connected, recordProgress))
    } catch (error) {
      // Once the work has begun, it is never repeated, because it may have had an effect.
      if (!hasSession && waitsForOthers(connection, error)) return run(acquire, release, stallTimeoutMs, work)
      const isReadOnly = !readOnly && isReadOnlyServer(error)
      if (isReadOnly) avoided = connection.session?.server
      const isLost = isReadOnly || error instanceof DatabaseUnreachable
      if (isLost && assigned.discard(connection)) endNow(connection)
      throw error
    } finally {
      release(connection)
    }
  }

  const use: Pool['use'] = async (stallTimeoutMs, work) => {
    if (closed) throw closedError()
    return run(assigned.acquireExclusive, assigned.releaseExclusive, stallTimeoutMs, work)
  }

  return {
    use,
    async share(stallTimeoutMs, work) {
      if (closed) throw closedError()
      if (!endsSlowReads) return use(stallTimeoutMs, work)
      return run(assigned.acquireShared, assigned.releaseShared, stallTimeoutMs, work)
    },
    usage: assigned.usage,
    async close() {
      closed = true
      await Promise.all([...assigned.connections].map(closeConnection))
    },
  }
}

const endNow = ({ session }: Connection) => {
  session?.sql.end({ timeout: 0 }).catch(() => undefined)
}

const closeConnection = async (connection: Connection) => {
  await connection.connecting?.catch(() => undefined)
  await connection.session?.sql.end({ timeout: 5 })
}

const closedError = () => new DatabaseUnreachable('the database is closed')

const withStallTimeout = <T>(
  ms: number,
  work: (recordProgress: () => void) => PromiseLike<T>,
): Promise<T> => {
  let lastProgressAt = performance.now()
  const recordProgress = () => {
    lastProgressAt = performance.now()
  }
  return new Promise((resolve, reject) => {
    const cancel = startDeadline(
      () => lastProgressAt + ms,
      recordProgress,
      () => reject(new DatabaseUnreachable(`no response within ${ms} ms`)),
    )
    work(recordProgress).then(resolve, reject).then(cancel)
  })
}
