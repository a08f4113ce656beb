import type { PgInsertBase, PgInsertValue, PgTable } from 'drizzle-orm/pg-core'
import type { PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js'

type Columns<T extends PgTable> = T['_']['columns']

type ColumnWithoutDefault<T extends PgTable> = {
  [C in keyof Columns<T>]: Columns<T>[C]['_']['hasDefault'] extends true ? never : C
}[keyof Columns<T>]

/**
 * A row to insert. Only columns with a default are optional: an insert that does not mention a column that may be null
 * does not compile, because its author may have forgotten to store it.
 */
export type NewRow<T extends PgTable> = PgInsertValue<T> &
  Required<Pick<PgInsertValue<T>, ColumnWithoutDefault<T> & keyof PgInsertValue<T>>>

interface InsertBuilder<T extends PgTable> {
  values(rows: NewRow<T>[]): PgInsertBase<T, PostgresJsQueryResultHKT>
  // Last, because the compiler explains why the last overload does not match.
  values(row: NewRow<T>): PgInsertBase<T, PostgresJsQueryResultHKT>
}

/** Drizzle's insert, for complete rows. */
export type Insert = <T extends PgTable>(table: T) => InsertBuilder<T>
