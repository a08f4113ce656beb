import type postgres from 'postgres'
import { DatabaseUnreachable } from './unreachable.ts'

export interface PoolOptions {
  /** Opens a client of one connection, which says when that is closed. */
  readonly open: (onclose: () => void) => postgres.Sql
  readonly size: number
  /** How long to wait for a free client, and for a client to connect. */
  readonly patienceMs: number
}

export interface Pool {
  /** Gives `work` a connection of its own; a connection on which it does not end in time is given up. */
  use<T>(withinMs: number, work: (sql: postgres.Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}

interface Client {
  readonly sql: postgres.Sql
  connected: boolean
}

// While the database is down one client tries to connect in this time; the others wait for its outcome or are refused.
const reconnectEveryMs = 100

/**
 * A pool of clients with one connection each. The driver's own pool has no deadline, hands queries to connections
 * that are closing and never sends or answers these; here a client is used by one at a time, and one that has lost
 * its connection is thrown away with whatever state that left in it.
 */
export const createPool = ({ open, size, patienceMs }: PoolOptions): Pool => {
  const clients = new Set<Client>()
  const idle: Client[] = []
  const waiting = new Set<(client: Client) => void>()
  let failure: { readonly error: unknown; readonly at: number } | undefined
  let trial: Promise<void> | undefined
  let closed = false

  const opened = () => {
    const client: Client = {
      connected: false,
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

  const giveBack = (client: Client) => {
    const [next] = waiting
    if (!next) return idle.push(client)
    waiting.delete(next)
    next(client)
  }

  const discard = (client: Client) => {
    clients.delete(client)
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

  return {
    async use(withinMs, work) {
      if (closed) throw new DatabaseUnreachable('the database is closed')
      const client = await take()
      try {
        if (!client.connected) await connect(client)
        const result = await within(withinMs, work(client.sql))
        giveBack(client)
        return result
      } catch (error) {
        if (error instanceof DatabaseUnreachable) discard(client)
        else giveBack(client)
        throw error
      }
    },
    async close() {
      closed = true
      await Promise.all([...clients].map(({ sql }) => sql.end({ timeout: 5 })))
    },
  }
}

const refusal = (cause: unknown) => new DatabaseUnreachable('the database cannot be reached', { cause })

const within = <T>(ms: number, answer: Promise<T>) =>
  new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new DatabaseUnreachable(`no answer within ${ms} ms`)), ms)
    const settled =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer)
        settle(value)
      }
    answer.then(settled(resolve), settled(reject))
  })
