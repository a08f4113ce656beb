import type postgres from 'postgres'
import { createConnectionQueue, type QueuedConnection } from './connection-queue.ts'
import { DatabaseUnreachable, withDatabaseTimeout } from './unreachable.ts'

export interface PoolOptions {
  /** Opens a client of one connection, which says when that is closed. */
  readonly open: (onclose: () => void) => postgres.Sql
  readonly size: number
  /** How long to wait for a free client, and for a client to connect. */
  readonly acquireTimeoutMs: number
}

type Work<T> = (sql: postgres.Sql) => Promise<T>

export interface Pool {
  /** Gives `work` a connection of its own; a connection on which it does not end in time is given up. */
  use<T>(withinMs: number, work: Work<T>): Promise<T>
  /**
   * The same for a single read: when every connection is busy, it may be sent down one behind other reads, which
   * spares both sides a system call for each.
   */
  share<T>(withinMs: number, work: Work<T>): Promise<T>
  close(): Promise<void>
}

interface Client extends QueuedConnection {
  readonly sql: postgres.Sql
  connected: boolean
  connecting?: Promise<void> | undefined
}

// While the database is down one client tries to connect in this time; the others wait for its outcome or are refused.
const reconnectEveryMs = 100

/**
 * A pool of clients with one connection each. The driver's own pool has no deadline, hands queries to connections
 * that are closing and never sends or answers these, and gets slower the longer it is busy; here a client is used by one
 * at a time, or by a few reads, and one that has lost its connection is thrown away with whatever state that left in it.
 */
export const createPool = ({ open, size, acquireTimeoutMs: patienceMs }: PoolOptions): Pool => {
  let failure: { readonly error: unknown; readonly at: number } | undefined
  let trial: Promise<void> | undefined
  let closed = false

  const opened = () => {
    const client: Client = {
      connected: false,
      reads: 0,
      movedAt: 0,
      promised: false,
      sql: open(() => {
        client.connected = false
      }),
    }
    return client
  }
  const turns = createConnectionQueue<Client>({ open: opened, size, patienceMs })

  const discard = (client: Client) => {
    if (turns.discard(client)) client.sql.end({ timeout: 0 }).catch(() => undefined)
  }

  const establish = async (client: Client) => {
    try {
      await withDatabaseTimeout(patienceMs, client.sql`select`.simple())
      client.connected = true
      failure = undefined
    } catch (error) {
      failure = { error, at: performance.now() }
      throw refusal(error)
    }
  }

  const connect = async (client: Client) => {
    if (failure && performance.now() - failure.at < reconnectEveryMs) throw refusal(failure.error)
    if (trial) await trial
    const attempt = establish(client)
    if (!failure) return attempt
    trial = attempt
    return attempt.finally(() => {
      trial = undefined
    })
  }

  const run = async <T>(client: Client, withinMs: number, work: Work<T>, leave: (client: Client) => void) => {
    // Whoever had to wait may find that the pool was closed meanwhile.
    if (closed) {
      leave(client)
      throw closedError()
    }
    try {
      if (!client.connected) {
        client.connecting ??= connect(client).finally(() => {
          client.connecting = undefined
        })
        await client.connecting
      }
      return await withDatabaseTimeout(withinMs, work(client.sql))
    } catch (error) {
      if (error instanceof DatabaseUnreachable) discard(client)
      throw error
    } finally {
      leave(client)
    }
  }

  return {
    async use(withinMs, work) {
      if (closed) throw closedError()
      return run(await turns.takeAlone(), withinMs, work, turns.giveBack)
    },
    async share(withinMs, work) {
      if (closed) throw closedError()
      return run(await turns.takeForRead(), withinMs, work, turns.leave)
    },
    async close() {
      closed = true
      await Promise.all([...turns.lines].map(({ sql }) => sql.end({ timeout: 5 })))
    },
  }
}

const closedError = () => new DatabaseUnreachable('the database is closed')

const refusal = (cause: unknown) => new DatabaseUnreachable('the database cannot be reached', { cause })
