import { DrizzleQueryError, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/postgres-js'
import type postgres from 'postgres'
import type { Database, Queryable, Reader } from './connection.ts'
import type { Pool } from './pool.ts'
import { rejectWrite } from './read-only.ts'
import { createRows, requireRead, type Statements, sendStatement, traceTransaction } from './statements.ts'
import { runTransaction, type Transaction } from './transaction.ts'

/**
 * What drizzle gets instead of the client of postgres.js. Drizzle writes the SQL and maps the rows, postgres.js speaks the
 * protocol on each connection, and our pool and our transactions are between them. Drizzle uses only this:
 *
 * - `unsafe(text, parameters)`, which it calls synchronously from `execute`. It awaits the result for rows as objects. Of the
 *   rows as arrays, which `values()` returns, it only calls `map`, inside an async function.
 * - `begin(work)`, whose `tx` has `unsafe` as well, and `savepoint` for a transaction inside.
 * - `options`, into which `drizzle()` writes how dates and JSON are converted. `openDatabase` copies that to each connection.
 *
 * We use two things that drizzle's types hide. `_.session.client` of a database, a reader or a transaction is its client.
 * A prepared query sends to the client it was built with, whatever database it is meant for.
 */
interface Client extends Statements {
  readonly options: Conversions
  begin<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

/** How values are parsed and serialized, by the number of their type. */
export interface Conversions {
  readonly parsers: Record<number, (value: string) => unknown>
  readonly serializers: Record<number, (value: unknown) => unknown>
}

// The types of drizzle require the driver's whole client.
const asDriver = (client: Omit<Client, 'begin'>) => client as unknown as postgres.Sql
const clientOf = (db: Reader) => (db._.session as unknown as { readonly client: Statements }).client

const createDrizzle = (client: Omit<Client, 'begin'>) =>
  drizzle({ client: asDriver(client), casing: 'snake_case' })

/** A client that sends its statements on the connections of a pool. */
export const createClient = (pool: Pool, options: Conversions, stallTimeoutMs: number): Client => ({
  options,
  unsafe: (text, parameters) => {
    // Any other statement may change data or wait for a lock.
    const use = text.startsWith('select ') ? pool.share : pool.use
    return createRows(text, (asArrays) =>
      use(stallTimeoutMs, (session, recordProgress) =>
        session.needsTransactions
          ? runTransaction(session, (tx) => sendInside(tx, text, parameters, asArrays), recordProgress)
          : sendStatement(session.sql, text, parameters, asArrays, session),
      ),
    )
  },
  begin: (work) =>
    traceTransaction(() =>
      pool.use(stallTimeoutMs, (session, recordProgress) => runTransaction(session, work, recordProgress)),
    ),
})

// Behind a pooler a session has no settings of its own; a transaction has.
const sendInside = async (
  tx: Transaction,
  text: string,
  parameters: (string | null)[] | undefined,
  asArrays: boolean,
) => {
  const rows = tx.unsafe(text, parameters)
  return asArrays ? rows.values() : rows
}

/** Drizzle's database, which may read and write, and one that throws for a statement that may change or lock data. */
export const createDrizzles = (client: Client) => {
  const { options, unsafe } = client
  const reading: Client = {
    options,
    unsafe: (text, parameters) => {
      requireRead(text)
      return unsafe(text, parameters)
    },
    begin: rejectWrite,
  }
  return {
    db: createDrizzle(client),
    reader: Object.assign(createDrizzle(reading), { execute: rejectWrite }),
  }
}

/** The client that the prepared query being started is sent to. */
let destination: Statements | null = null

const template = createDrizzle({
  options: { parsers: {}, serializers: {} },
  unsafe(text, parameters) {
    if (!destination) throw new Error('a prepared query was not sent synchronously')
    return destination.unsafe(text, parameters)
  },
})

interface Query<R> {
  execute(values?: Record<string, unknown>): Promise<R>
}

const prepare = <D, R>(build: (db: typeof template) => Query<R>) => {
  let query: Query<R> | undefined
  return (db: D & Reader): Query<R> => ({
    execute(values) {
      query ??= build(template)
      destination = clientOf(db)
      try {
        return query.execute(values)
      } finally {
        destination = null
      }
    },
  })
}

/** A select that is built once and sent to any database or transaction: building it takes longer than sending it. */
export const preparedRead = <R>(build: (db: Reader) => Query<R>) => prepare<Reader, R>(build)

/** The same for a statement that changes or locks rows; a reader rejects it. */
export const preparedWrite = <R>(build: (db: Queryable) => Query<R>) => prepare<Queryable, R>(build)

/** The row of a statement that always returns one: an upsert, or a change of a row that the transaction has locked. */
export const requireRow = <T>([row]: readonly T[]): T => {
  if (row === undefined) throw new Error('the statement returned no row')
  return row
}

/** Runs reads in a read-only transaction. One that waits longer than the timeout for a lock on a table fails. */
export const readWithLockTimeout = <T>(
  db: Database['db'],
  timeoutMs: number,
  work: (read: Reader) => Promise<T>,
): Promise<T> =>
  db.transaction(async (tx) => {
    const timeout = `${timeoutMs}ms`
    await tx.execute(
      sql`select set_config('lock_timeout', ${timeout}, true), set_config('transaction_read_only', 'on', true)`,
    )
    return work(tx)
  })

// PostgreSQL, appendix A (error codes).
const uniqueViolation = '23505'

// PostgreSQL reports the name of a unique index as `constraint_name`, even without a constraint.
const isViolation = (indexName: string, error: unknown) =>
  error instanceof DrizzleQueryError &&
  error.cause !== undefined &&
  Reflect.get(error.cause, 'code') === uniqueViolation &&
  Reflect.get(error.cause, 'constraint_name') === indexName

/**
 * Returns the result of the statement, or null if it violates the unique index `indexName`. PostgreSQL has then aborted
 * the transaction, so the caller must throw to roll it back.
 */
export const nullOnUniqueViolation = async <T>(
  indexName: string,
  statement: Promise<T>,
): Promise<T | null> => {
  try {
    return await statement
  } catch (error) {
    if (isViolation(indexName, error)) return null
    throw error
  }
}
