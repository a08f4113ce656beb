import type postgres from 'postgres'
import { namedUnreachable } from './unreachable.ts'

/** The part of the driver's client that drizzle runs one statement with. */
export interface Statements {
  unsafe(text: string, parameters?: never[]): Rows
}
/** A statement that starts when it is awaited, or when its rows are asked for as arrays. */
export interface Rows extends PromiseLike<unknown> {
  values(): Promise<unknown>
}

export const rows = (run: (asArrays: boolean) => Promise<unknown>): Rows => ({
  values: () => run(true),
  // biome-ignore lint/suspicious/noThenProperty: drizzle awaits what it does not ask `values()` of
  then: (resolve, reject) => run(false).then(resolve, reject),
})

/** Sends a statement; parameters make it a named prepared statement, which saves a round trip the next time. */
export const send = async (sql: postgres.ISql, text: string, parameters: never[] = [], asArrays = false) => {
  try {
    const query = sql.unsafe(text, parameters, { prepare: true })
    return await (asArrays ? query.values() : query)
  } catch (error) {
    throw namedUnreachable(error)
  }
}
