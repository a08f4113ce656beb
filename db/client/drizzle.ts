import { DrizzleQueryError, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/postgres-js'
import type postgres from 'postgres'
import type { Database, Queryable, Reader } from './connection.ts'
import type { Pool } from './pool.ts'
import { rejectWrite } from './read-only.ts'
import { createRows, requireRead, type Statements, sendStatement, traceTransaction } from './statements.ts'
import { runTransaction, type Transaction } from './transaction.ts'

/**
 * Stands in for the postgres.js client. Drizzle writes the SQL and maps the rows, postgres.js speaks the protocol on
 * each connection, and our pool and transactions sit in between. Drizzle uses only:
 *
 * - `unsafe(text, parameters)`, called synchronously from `execute`. To get rows as objects, drizzle awaits the result.
 *   To get them as arrays, it calls `values()` and then only `map` on the result, inside an async function.
 * - `begin(work)`, whose `tx` also has `unsafe`, and `savepoint` for a nested transaction.
 * - `options`, where `drizzle()` sets how dates and JSON are converted. `openDatabase` copies it to each connection.
 *
 * We rely on two things that drizzle's types hide. `_.session.client` is the client of a database, reader or
 * transaction. A prepared query sends to the client it was built with, no matter which database it is meant for.
 */
interface Client extends Statements {
  readonly options: Conversions
  begin<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

/** How values are parsed and serialized, by the OID of their type. */
export interface Conversions {
  readonly parsers: Record<number, (value: string) => unknown>
  readonly serializers: Record<number, (value: unknown) => unknown>
}

// Cast, because drizzle's types require the driver's whole client.
const asDriver = (client: Omit<Client, 'begin'>) => client as unknown as postgres.Sql
const clientOf = (db: Reader) => (db._.session as unknown as { readonly client: Statements }).client

const createDrizzle = (client: Omit<Client, 'begin'>) =>
  drizzle({ client: asDriver(client), casing: 'snake_case' })

export const createClient = (pool: Pool, options: Conversions, stallTimeoutMs: number): Client => ({
  options,
  unsafe: (text, parameters) => {
    // Only reads may share a connection. Any other statement may change data or wait for a lock.
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

// Behind a pooler, settings can be applied only per transaction.
const sendInside = async (
  tx: Transaction,
  text: string,
  parameters: (string | null)[] | undefined,
  asArrays: boolean,
) => {
  const rows = tx.unsafe(text, parameters)
  return asArrays ? rows.values() : rows
}

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

/** Where to send the prepared query that is being started. */
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

/**
 * Builds a select only once, because building it takes longer than sending it. The result can be sent to any database
 * or transaction.
 */
export const preparedRead = <R>(build: (db: Reader) => Query<R>) => prepare<Reader, R>(build)

/** Like `preparedRead`, for a statement that changes or locks rows. A reader rejects it. */
export const preparedWrite = <R>(build: (db: Queryable) => Query<R>) => prepare<Queryable, R>(build)

export const firstRow = <T>([row]: readonly T[]): T | null => row ?? null

/** Returns the row of a statement that always returns one: an upsert, or a change to a locked row. */
export const requireRow = <T>([row]: readonly T[]): T => {
  if (row === undefined) throw new Error('the statement returned no row')
  return row
}

/** What handlers and jobs may do with a database. */
export const createDatabasePort = ({ db, reader }: Pick<Database, 'db' | 'reader'>) => ({
  read: reader,
  readWithLockTimeout: <T>(timeoutMs: number, work: (read: Reader) => Promise<T>): Promise<T> =>
    db.transaction(async (tx) => {
      const timeout = `${timeoutMs}ms`
      await tx.execute(
        sql`select set_config('lock_timeout', ${timeout}, true), set_config('transaction_read_only', 'on', true)`,
      )
      return work(tx)
    }),
  tx: <T>(work: (tx: Queryable) => Promise<T>): Promise<T> => db.transaction(work),
})

const uniqueViolation = '23505'

// PostgreSQL reports the name of a unique index as `constraint_name` even if there is no constraint.
const isViolation = (indexName: string, error: unknown) =>
  error instanceof DrizzleQueryError &&
  error.cause !== undefined &&
  Reflect.get(error.cause, 'code') === uniqueViolation &&
  Reflect.get(error.cause, 'constraint_name') === indexName

/**
 * Returns the statement's result, or null if it violates the unique index `indexName`. In that case the transaction is
 * aborted, so throw to roll it back.
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
