import type postgres from 'postgres'
import { isLong, mapInSlices } from '#shared/map-in-slices.ts'
import { cancelAfterTimeout } from './cancel-statement.ts'
import type { Session } from './session.ts'
import { traceStatement } from './trace-statement.ts'
import type { Transaction } from './transaction.ts'
import { convertConnectionError } from './unreachable.ts'

/** The part of the driver's client that drizzle runs one statement with. */
export interface Statements {
  unsafe(text: string, parameters?: (string | null)[]): Rows
}
/** A statement that is sent when it is awaited, or when `values` requests its rows as arrays. */
export interface Rows extends PromiseLike<unknown> {
  values(): Promise<unknown>
}

/** How values are parsed and serialized; drizzle writes this into its client, for every connection. */
export interface Conversions {
  readonly parsers: Record<number, (value: string) => unknown>
  readonly serializers: Record<number, (value: unknown) => unknown>
}

/** The part of the driver's client that drizzle runs a database with. */
export interface Client extends Statements {
  readonly options: Conversions
  begin<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

// Drizzle's type requires the driver's whole client; it uses these members, and `begin` for transactions.
export const castToDriver = (client: Statements & { readonly options: Conversions }) =>
  client as unknown as postgres.Sql

// Drizzle only calls `map` on the rows, and returns its result from an async function, so it may be a promise.
const sliceIfLong = (rows: unknown) =>
  Array.isArray(rows) && isLong(rows)
    ? { map: (toRecord: (row: unknown) => unknown) => mapInSlices(rows, toRecord) }
    : rows

export const createRows = (text: string, run: (asArrays: boolean) => Promise<unknown>): Rows => ({
  values: async () => sliceIfLong(await traceStatement(text, () => run(true))),
  // biome-ignore lint/suspicious/noThenProperty: drizzle awaits a statement unless it calls `values()`
  then: (resolve, reject) => traceStatement(text, () => run(false)).then(resolve, reject),
})

/**
 * Sends a statement, if the client allows it as a named prepared statement, which saves a round trip the next time.
 * Cancels it after the timeout of `session`; a statement of a transaction is passed none, because the server ends it.
 */
export const sendStatement = async (
  sql: postgres.ISql,
  text: string,
  parameters: (string | null)[] = [],
  asArrays = false,
  session?: Pick<Session, 'isConnected' | 'limits'>,
) => {
  try {
    const query = sql.unsafe(text, parameters, { prepare: true })
    const sent = asArrays ? query.values() : query
    const limits = session?.limits
    return await (limits ? cancelAfterTimeout(session, limits.statementTimeoutMs, query, sent) : sent)
  } catch (error) {
    throw convertConnectionError(error)
  }
}
