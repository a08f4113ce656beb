import type postgres from 'postgres'
import { DatabaseUnreachable } from './unreachable.ts'
import { within } from './within.ts'

export interface PoolOptions {
  /** Opens a client of one connection, which says when that is closed. */
  readonly open: (onclose: () => void) => postgres.Sql
  readonly size: number
  /** How long to wait for a free client, and for a client to connect. */
  readonly patienceMs: number
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

interface Client {
  readonly sql: postgres.Sql
  connected: boolean
  connecting?: Promise<void> | undefined
  /** How many reads are on their way. */
  reads: number
  /** When the last of them began or ended, in milliseconds. */
  movedAt: number
}

// While the database is down one client tries to connect in this time; the others wait for its outcome or are refused.
const reconnectEveryMs = 100
// Behind a read that takes longer nobody lines up.
const slowReadMs = 10
const mostReads = 16

/**
 * A pool of clients with one connection each. The driver's own pool has no deadline, hands queries to connections
 * that are closing and never sends or answers these; here a client is used by one at a time, or by a few reads, and one
 * that has lost its connection is thrown away with whatever state that left in it.
 */
export const createPool = ({ open, size, patienceMs }: PoolOptions): Pool => {
  const clients = new Set<Client>()
  const idle: Client[] = []
  const reading = new Set<Client>()
  const waiting = new Set<(client: Client) => void>()
  let failure: { readonly error: unknown; readonly at: number } | undefined
  let trial: Promise<void> | undefined
  let closed = false

  const opened = () => {
    const client: Client = {
      connected: false,
      reads: 0,
      movedAt: 0,
      sql: open(() => {
        client.connected = false
      }),
    }
    clients.add(client)
    return client
  }

  const nextFree = () =>
    new Promise<Client>((resolve, reject) => {
      const proceed = (client: Client) => {
        clearTimeout(impatience)
        resolve(client)
      }
      const impatience = setTimeout(() => {
        waiting.delete(proceed)
        reject(new DatabaseUnreachable(`no connection became free within ${patienceMs} ms`))
      }, patienceMs)
      waiting.add(proceed)
    })

  const take = () => idle.pop() ?? (clients.size < size ? opened() : nextFree())

  // Whoever waits for a connection of its own would wait for ever if reads went on lining up.
  const joinable = () => {
    let best: Client | undefined
    if (waiting.size > 0) return best
    const lively = performance.now() - slowReadMs
    for (const client of reading)
      if (client.movedAt > lively && client.reads < (best?.reads ?? mostReads)) best = client
    return best
  }

  const takeForRead = () => (idle.length > 0 || clients.size < size ? take() : (joinable() ?? nextFree()))

  const giveBack = (client: Client) => {
    if (!clients.has(client)) return
    const [next] = waiting
    if (!next) return idle.push(client)
    waiting.delete(next)
    next(client)
  }

  const discard = (client: Client) => {
    if (!clients.delete(client)) return
    reading.delete(client)
    client.sql.end({ timeout: 0 }).catch(() => undefined)
    if (waiting.size > 0) giveBack(opened())
  }

  const establish = async (client: Client) => {
    try {
      await within(patienceMs, client.sql`select`.simple())
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

  const run = async <T>(client: Client, withinMs: number, work: Work<T>, leave: () => void) => {
    try {
      if (!client.connected) {
        client.connecting ??= connect(client).finally(() => {
          client.connecting = undefined
        })
        await client.connecting
      }
      return await within(withinMs, work(client.sql))
    } catch (error) {
      if (error instanceof DatabaseUnreachable) discard(client)
      throw error
    } finally {
      leave()
    }
  }

  const refuseWhenClosed = () => {
    if (closed) throw new DatabaseUnreachable('the database is closed')
  }

  return {
    async use(withinMs, work) {
      refuseWhenClosed()
      const client = await take()
      return run(client, withinMs, work, () => giveBack(client))
    },
    async share(withinMs, work) {
      refuseWhenClosed()
      const client = await takeForRead()
      const count = (change: number) => {
        client.reads += change
        client.movedAt = performance.now()
      }
      count(1)
      reading.add(client)
      return run(client, withinMs, work, () => {
        count(-1)
        if (client.reads > 0) return
        reading.delete(client)
        giveBack(client)
      })
    },
    async close() {
      closed = true
      await Promise.all([...clients].map(({ sql }) => sql.end({ timeout: 5 })))
    },
  }
}

const refusal = (cause: unknown) => new DatabaseUnreachable('the database cannot be reached', { cause })
