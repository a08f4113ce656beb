import type { PgInsertBase, PgInsertValue, PgTable } from 'drizzle-orm/pg-core'
import type { PostgresJsDatabase, PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js'
import { withTimeout } from '#shared/with-timeout.ts'
import { type Conversions, createClient, createDrizzles } from './drizzle.ts'
import { createPool, type PoolUsage } from './pool.ts'
import { createSessionOpener } from './session-opener.ts'

export { isDatabaseUnavailable, isDatabaseUnreachable, isTableMissing } from './unreachable.ts'

type Drizzle = PostgresJsDatabase<Record<string, never>>
// Leaves out `with`, because drizzle's WITH clauses can also insert, update and delete.
type Reading = '_' | 'select' | 'selectDistinct' | 'selectDistinctOn'

export type Reader = Pick<Drizzle, Reading>

export type Queryable = Pick<Drizzle, Reading | 'update' | 'delete' | 'execute'> & {
  insert<T extends PgTable>(table: T): InsertBuilder<T>
}

interface InsertBuilder<T extends PgTable> {
  values(rows: NewRow<T>[]): PgInsertBase<T, PostgresJsQueryResultHKT>
  // This overload comes last, because the compiler reports only why the last one does not match.
  values(row: NewRow<T>): PgInsertBase<T, PostgresJsQueryResultHKT>
}

/**
 * A row to insert. Only columns with a default are optional. Leaving out a nullable column does not compile, because it
 * may simply have been forgotten.
 */
export type NewRow<T extends PgTable> = PgInsertValue<T> &
  Required<Pick<PgInsertValue<T>, ColumnWithoutDefault<T> & keyof PgInsertValue<T>>>

type Columns<T extends PgTable> = T['_']['columns']
type ColumnWithoutDefault<T extends PgTable> = {
  [C in keyof Columns<T>]: Columns<T>[C]['_']['hasDefault'] extends true ? never : C
}[keyof Columns<T>]

/**
 * Resolves to `Given` if it has exactly the keys of `Columns`, including optional ones; otherwise to a type that no
 * value fits. Drizzle silently drops fields that are not columns. Without this type, a field added to a route's input
 * would compile but never be stored. Before you spread it with defaults for its optional fields, assign it to a variable
 * of type `Columns`: the compiler cannot tell which columns a generic type lacks.
 */
export type EveryKeyOf<Columns, Given extends Columns> = Given &
  Readonly<Record<Exclude<keyof Columns, keyof Given>, never>> & {
    readonly [Key in Exclude<keyof Given, keyof Columns>]?: never
  }

export interface Database {
  readonly db: Drizzle
  /** Whether the server rejects every write, even one through `db`. */
  readonly isReadOnly: boolean
  /**
   * Reads on the same connections as `db`. A statement that may change or lock data throws before it is sent. Changes
   * made by functions that a statement calls are not detected.
   */
  readonly reader: Reader
  /** Whether a query succeeds within a second. */
  isReachable(): Promise<boolean>
  usage(): PoolUsage
  /** Waits up to five seconds for statements in flight. */
  close(): Promise<void>
}

interface DatabaseOptions {
  readonly applicationName?: string
  /** Trusted certificates as PEM. Defaults to Node's. */
  readonly ca?: string | undefined
  readonly connections?: number
  /** Whether to use named prepared statements. Defaults to true. Some poolers do not support them. */
  readonly prepare?: boolean
  /** How long a statement may run, and how long a transaction may wait for its next statement. */
  readonly statementTimeoutMs?: number
  readonly connectTimeoutMs?: number
  /**
   * Makes the server reject every write with SQLSTATE 25006, on each connection, even behind a pooler. A statement can
   * still take advisory locks, notify, and make its own session or transaction writable. Only a role without write
   * access rules out writes.
   */
  readonly readOnly?: boolean
  /** Called with the server's or pooler's message if it allows no more connections. */
  readonly onLimited?: (message: string, connections: number) => void
}

const probeTimeoutMs = 1000
const graceMs = 1000

/**
 * Opens a pool, which connects on the first query. While the database is down, a query fails within two seconds. If the
 * database does not respond, a query or transaction fails a second after its statement timeout, and the connection is
 * discarded.
 */
export const openDatabase = (databaseUrl: string, options: DatabaseOptions = {}): Database => {
  const { ca, applicationName = 'crossfade', connections = 10, prepare = true } = options
  const { statementTimeoutMs = 5000, connectTimeoutMs = 2000, readOnly = false, onLimited } = options
  const conversions: Conversions = { parsers: {}, serializers: {} }
  const open = createSessionOpener(databaseUrl, {
    ca,
    applicationName,
    prepare,
    statementTimeoutMs,
    connectTimeoutMs,
    readOnly,
    configure: (driver) => {
      Object.assign(driver.options.parsers, conversions.parsers)
      Object.assign(driver.options.serializers, conversions.serializers)
    },
  })
  const pool = createPool({
    open,
    size: connections,
    acquireTimeoutMs: connectTimeoutMs,
    readOnly,
    onLimited,
  })
  const client = createClient(pool, conversions, statementTimeoutMs + graceMs)
  return {
    ...createDrizzles(client),
    isReadOnly: readOnly,
    isReachable: createProbe(() => client.unsafe('select')),
    usage: pool.usage,
    close: () => pool.close(),
  }
}

const succeeds = async (query: () => PromiseLike<unknown>) => {
  try {
    await query()
    return true
  } catch {
    return false
  }
}

// Concurrent probes share one query, so that an unresponsive database ties up only one connection.
const createProbe = (query: () => PromiseLike<unknown>) => {
  let pending: Promise<boolean> | undefined
  return () => {
    pending ??= succeeds(query).finally(() => {
      pending = undefined
    })
    return withTimeout(probeTimeoutMs, pending, () => false)
  }
}
