import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { withTimeout } from '#shared/with-timeout.ts'
import { asDriver, type Client, type Conversions, rows, send } from './driver-client.ts'
import { createPool } from './pool.ts'
import { asReadOnly, rejectNonRead } from './read-only.ts'
import { runTransaction } from './transaction.ts'

export { isDatabaseUnavailable } from './unreachable.ts'

type Drizzle = PostgresJsDatabase<Record<string, never>>
// Not `with`: what drizzle makes of a WITH clause can also insert, update and delete.
type Reading = '_' | 'select' | 'selectDistinct' | 'selectDistinctOn'

/** A database or a transaction on it: whatever a query function may be given to write with. */
export type Queryable = Pick<Drizzle, Reading | 'insert' | 'update' | 'delete' | 'execute'>

/** The reading face of a database or a transaction. A transaction may be given where a reader is wanted, never the reverse. */
export type Reader = Pick<Drizzle, Reading>

export interface Database {
  readonly db: Drizzle
  /**
   * Reads on the same connections. It also throws at run time, before anything is sent, for whatever may change or lock
   * data, however its type was circumvented; it cannot see what a function that is selected does.
   */
  readonly reader: Reader
  /** Whether a query is answered within a second. */
  isReachable(): Promise<boolean>
  /** Lets statements under way end for five seconds at most. */
  close(): Promise<void>
}

interface DatabaseOptions {
  readonly connections?: number
  /** How long a statement may run, and how long a transaction may wait for its next statement. */
  readonly statementTimeoutMs?: number
}

const connectTimeoutMs = 2000
const reachableWithinMs = 1000
const graceMs = 1000
const statementsOfATransaction = 6

/**
 * Opens a pool on this address; nothing is connected before the first query. While the database is down a query
 * fails within two seconds. One that a frozen database does not answer fails a second after its statement timeout,
 * and its connection is given up.
 */
export const openDatabase = (url: string, options: DatabaseOptions = {}): Database => {
  const { connections = 10, statementTimeoutMs = 5000 } = options
  const conversions: Conversions = { parsers: {}, serializers: {} }
  const open = (onclose: () => void) => {
    const sql = postgres(url, { ...settings(statementTimeoutMs), onclose })
    Object.assign(sql.options.parsers, conversions.parsers)
    Object.assign(sql.options.serializers, conversions.serializers)
    return sql
  }
  const pool = createPool({ open, size: connections, acquireTimeoutMs: connectTimeoutMs })
  const statementMs = statementTimeoutMs + graceMs
  const client: Client = {
    options: conversions,
    unsafe: (text, parameters) => {
      const use = isRead(text) ? pool.share : pool.use
      return rows((asArrays) => use(statementMs, (sql) => send(sql, text, parameters, asArrays)))
    },
    begin: (work) => pool.use(statementMs * statementsOfATransaction, (sql) => runTransaction(sql, work)),
  }
  return {
    db: drizzle({ client: asDriver(client), casing: 'snake_case' }),
    reader: Object.assign(drizzle({ client: asDriver(asReadOnly(client)), casing: 'snake_case' }), {
      execute: rejectNonRead,
    }),
    isReachable: createProbe(() => client.unsafe('select')),
    close: () => pool.close(),
  }
}

// Whatever begins otherwise may change something, or wait for whoever does.
const isRead = (text: string) => text.startsWith('select ')

const settings = (statementTimeoutMs: number) => ({
  max: 1,
  connect_timeout: connectTimeoutMs / 1000,
  idle_timeout: 30,
  // The driver fetches array types beside the query, where nobody catches the loss of the connection.
  fetch_types: false,
  onnotice: () => undefined,
  connection: {
    application_name: 'crossfade',
    TimeZone: 'UTC',
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
  },
})

const answers = async (ask: () => PromiseLike<unknown>) => {
  try {
    await ask()
    return true
  } catch {
    return false
  }
}

// Of a frozen database many may ask at once; one question at a time is enough, and takes one connection.
const createProbe = (ask: () => PromiseLike<unknown>) => {
  let asked: Promise<boolean> | undefined
  return () => {
    asked ??= answers(ask).finally(() => {
      asked = undefined
    })
    return withTimeout(reachableWithinMs, asked, () => false)
  }
}
