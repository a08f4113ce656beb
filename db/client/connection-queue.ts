// Optimized: see "GET of a library by its id" in bench/README.md and docs/shared-connections.md.
import { BucketHistogram } from '#shared/bucket-histogram.ts'
import { DatabaseUnreachable } from './unreachable.ts'

/** What the queue records on a connection. */
export interface QueuedConnection {
  /** How many reads are in flight. */
  reads: number
  /** When the first of these reads started or the last one ended, in milliseconds. */
  lastProgressAt: number
  /** Takes no more reads: an exclusive waiter gets it next. */
  reserved: boolean
}

/** How the connections of a pool are used now, and how long callers have waited for one. */
export interface PoolUsage {
  readonly size: number
  readonly inUse: number
  readonly waiting: number
  /** Seconds until a caller had a connection or its timeout; 0 for one that was free. */
  readonly acquireTimes: BucketHistogram
}

// Upper bounds in seconds. A connection that is free is acquired at once.
const acquireBounds = [0, 0.001, 0.005, 0.025, 0.1, 0.5, 2]

interface ConnectionQueueOptions<C> {
  readonly open: () => C
  readonly size: number
  readonly acquireTimeoutMs: number
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

interface Waiter<C> {
  readonly arrival: number
  proceed(connection: C): void
}

// A connection without progress for this long takes no more reads.
const stalledMs = 10
const maxReads = 16

/**
 * Assigns the connections of a pool. A connection is used exclusively or shared by several reads. An exclusive waiter
 * reserves one connection, which then takes no more reads, while the other connections still do.
 */
export const createConnectionQueue = <C extends QueuedConnection>(options: ConnectionQueueOptions<C>) => {
  const { open, size, acquireTimeoutMs, now = () => performance.now() } = options
  const connections = new Set<C>()
  const idle: C[] = []
  const shared = new Set<C>()
  const exclusiveWaiters = new Set<Waiter<C>>()
  const readWaiters = new Set<Waiter<C>>()
  const acquireTimes = new BucketHistogram(acquireBounds)
  let arrivals = 0

  const wait = (waiters: Set<Waiter<C>>) =>
    new Promise<C>((resolve, reject) => {
      const waitsSince = now()
      const recordWait = () => acquireTimes.observe((now() - waitsSince) / 1000)
      const waiter: Waiter<C> = {
        arrival: arrivals++,
        proceed(connection) {
          clearTimeout(timer)
          waiters.delete(waiter)
          recordWait()
          resolve(connection)
        },
      }
      const timer = setTimeout(() => {
        waiters.delete(waiter)
        recordWait()
        reject(new DatabaseUnreachable(`no connection became free within ${acquireTimeoutMs} ms`))
      }, acquireTimeoutMs)
      waiters.add(waiter)
    })

  const openConnection = () => {
    const connection = open()
    connections.add(connection)
    return connection
  }

  const takeUnused = () => idle.pop() ?? (connections.size < size ? openConnection() : undefined)

  const findLeastReads = (isEligible: (connection: C) => boolean) => {
    let best: C | undefined
    for (const connection of shared)
      if (!connection.reserved && isEligible(connection) && connection.reads < (best?.reads ?? maxReads))
        best = connection
    return best
  }

  const findShareable = () => {
    const stalledSince = now() - stalledMs
    return findLeastReads(({ lastProgressAt }) => lastProgressAt > stalledSince)
  }

  const addRead = (connection: C) => {
    if (connection.reads === 0) connection.lastProgressAt = now()
    connection.reads += 1
    shared.add(connection)
    return connection
  }

  // Needed when all connections were full when the exclusive waiter arrived, or when the reserved one has stalled.
  const reserveIfNeeded = (connection: C) => {
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

  const releaseExclusive = (connection: C) => {
    if (!connections.has(connection)) return
    connection.reserved = false
    const [exclusive] = exclusiveWaiters
    const [read] = readWaiters
    if (read && !(exclusive && exclusive.arrival < read.arrival)) {
      // Otherwise new reads could keep a later exclusive waiter out until its timeout.
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
    /** A connection that nothing else uses. */
    acquireExclusive(): C | Promise<C> {
      const unused = takeUnused()
      if (unused) {
        acquireTimes.observe(0)
        return unused
      }
      const next = findShareable() ?? findLeastReads(() => true)
      if (next) next.reserved = true
      return wait(exclusiveWaiters)
    },
    /** A connection for one read, which may be shared with other reads. */
    acquireShared(): C | Promise<C> {
      const connection = takeUnused() ?? (readWaiters.size === 0 ? findShareable() : undefined)
      if (!connection) return wait(readWaiters)
      acquireTimes.observe(0)
      return addRead(connection)
    },
    releaseExclusive,
    /** Ends one read. */
    releaseShared(connection: C) {
      connection.reads -= 1
      connection.lastProgressAt = now()
      if (connection.reads === 0) {
        shared.delete(connection)
        releaseExclusive(connection)
      } else reserveIfNeeded(connection)
      admitReads()
    },
    /** Removes a connection and opens a new one for a waiter. False when it is removed already. */
    discard(connection: C): boolean {
      if (!connections.delete(connection)) return false
      shared.delete(connection)
      if (exclusiveWaiters.size + readWaiters.size > 0) releaseExclusive(openConnection())
      return true
    },
  }
}
