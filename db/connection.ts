import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { fencedTransaction, rows, type Statements, send, type Transaction } from './fence.ts'
import { createGate } from './gate.ts'

export { isDatabaseUnavailable } from './unreachable.ts'

type Drizzle = PostgresJsDatabase<Record<string, never>>
type Reading = 'select' | 'selectDistinct' | 'selectDistinctOn' | '$with' | 'with'

/** A database or a transaction on it: whatever a query function may be given to write with. */
export type Queryable = Pick<Drizzle, Reading | 'insert' | 'update' | 'delete' | 'execute'>

/** The reading face of a database or a transaction. */
export type Reader = Pick<Drizzle, Reading>

export interface Database {
  readonly db: Drizzle
  /** Whether a query is answered within a second. */
  isReachable(): Promise<boolean>
  /** Lets statements under way end for five seconds at most. */
  close(): Promise<void>
}

/** Opens a socket to one of these hosts or to a path; the driver waits for it to connect. */
export type SocketFactory = (target: {
  readonly path: string | false
  readonly host: readonly string[]
  readonly port: readonly number[]
}) => unknown

export interface DatabaseOptions {
  readonly connections?: number
  /** How long a statement may run, and how long a transaction may wait for its next statement. */
  readonly statementTimeoutMs?: number
  readonly socket?: SocketFactory
}

const connectTimeoutMs = 2000
const reachableWithinMs = 1000
export const usualStatementTimeoutMs = 5000

/**
 * Opens a pool on this address; nothing is connected before the first query. While the database is down a query
 * fails within two seconds, and the first one after it is back finds it.
 */
export const openDatabase = (url: string, options: DatabaseOptions = {}): Database => {
  const { connections = 10, statementTimeoutMs = usualStatementTimeoutMs, socket } = options
  const sql = postgres(url, {
    ...(socket ? { socket } : {}),
    max: connections,
    connect_timeout: connectTimeoutMs / 1000,
    backoff: () => 0.1,
    idle_timeout: statementTimeoutMs / 1000,
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
  const gate = createGate(connections, connectTimeoutMs)
  const client: Client = {
    options: sql.options,
    unsafe: (text, parameters) => rows((asArrays) => gate.pass(() => send(sql, text, parameters, asArrays))),
    begin: (work) => gate.pass(() => fencedTransaction(sql, work)),
  }
  return {
    db: drizzle({ client: asDriver(client), casing: 'snake_case' }),
    isReachable: createProbe(() => client.unsafe('select 1')),
    close: () => sql.end({ timeout: 5 }),
  }
}

interface Client extends Statements {
  readonly options: postgres.Sql['options']
  begin<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

// Drizzle asks for the driver's whole client and uses what `Client` names.
const asDriver = (client: Client) => client as unknown as postgres.Sql

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
    const answer = asked
    return new Promise<boolean>((resolve) => {
      const late = setTimeout(resolve, reachableWithinMs, false)
      answer.then((reachable) => {
        clearTimeout(late)
        resolve(reachable)
      })
    })
  }
}
