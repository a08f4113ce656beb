import type { PgInsertBase, PgInsertValue, PgTable } from 'drizzle-orm/pg-core'
import type { PostgresJsDatabase, PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js'
import { withTimeout } from '#shared/with-timeout.ts'
import { type Conversions, createClient, createDrizzles } from './drizzle.ts'
import { createPool, type PoolUsage } from './pool.ts'
import { createSessionOpener } from './session-opener.ts'

export { isDatabaseUnavailable, isDatabaseUnreachable, isTableMissing } from './unreachable.ts'

type Drizzle = PostgresJsDatabase<Record<string, never>>
// Without `with`: drizzle's WITH clauses can also insert, update and delete.
type Reading = '_' | 'select' | 'selectDistinct' | 'selectDistinctOn'

/** The part of a database or a transaction that reads. A transaction can be passed as a reader, never the reverse. */
export type Reader = Pick<Drizzle, Reading>

/** A database or a transaction: what a query function needs in order to write. */
export type Queryable = Pick<Drizzle, Reading | 'update' | 'delete' | 'execute'> & {
  /** Drizzle's insert, for complete rows. */
  insert<T extends PgTable>(table: T): InsertBuilder<T>
}

interface InsertBuilder<T extends PgTable> {
  values(rows: NewRow<T>[]): PgInsertBase<T, PostgresJsQueryResultHKT>
  // Last, because the compiler explains why the last overload does not match.
  values(row: NewRow<T>): PgInsertBase<T, PostgresJsQueryResultHKT>
}

/**
 * A row to insert. Only columns with a default are optional: an insert that does not mention a column that may be null
 * does not compile, because its author may have forgotten to store it.
 */
export type NewRow<T extends PgTable> = PgInsertValue<T> &
  Required<Pick<PgInsertValue<T>, ColumnWithoutDefault<T> & keyof PgInsertValue<T>>>

type Columns<T extends PgTable> = T['_']['columns']
type ColumnWithoutDefault<T extends PgTable> = {
  [C in keyof Columns<T>]: Columns<T>[C]['_']['hasDefault'] extends true ? never : C
}[keyof Columns<T>]

/**
 * `Given` if it has each key of `Columns`, optional ones included, and no others; otherwise no value has this type.
 *
 * A field that is added to the input of a route is not a type error where the input is spread or passed on, and drizzle
 * drops what is no column. A query function whose argument has this type does not compile until the field is stored.
 */
export type EveryKeyOf<Columns, Given extends Columns> = Given &
  Readonly<Record<Exclude<keyof Columns, keyof Given>, never>> & {
    readonly [Key in Exclude<keyof Given, keyof Columns>]?: never
  }

export interface Database {
  readonly db: Drizzle
  /** Whether the server rejects every write, also one by `db`. */
  readonly isReadOnly: boolean
  /**
   * Reads on the same connections. It also checks at run time: a statement that may change or lock data throws before it
   * is sent. It cannot detect what a selected function does.
   */
  readonly reader: Reader
  /** Whether a query succeeds within a second. */
  isReachable(): Promise<boolean>
  /** How the connections are used. */
  usage(): PoolUsage
  /** Waits up to five seconds for statements in flight. */
  close(): Promise<void>
}

interface DatabaseOptions {
  /** As `pg_stat_activity` shows the connections; defaults to `crossfade`. */
  readonly applicationName?: string
  /** Trusted certificates as PEM; defaults to Node's. */
  readonly ca?: string | undefined
  readonly connections?: number
  /** Whether statements are prepared under a name; defaults to true. Poolers may require false. */
  readonly prepare?: boolean
  /** How long a statement may run, and how long a transaction may wait for its next statement. */
  readonly statementTimeoutMs?: number
  readonly connectTimeoutMs?: number
  /**
   * The server rejects every write with 25006, on each connection and behind any pooler; defaults to false. Only a role
   * without rights to write also prevents a statement that first makes its session or transaction writable, and
   * advisory locks and notifications.
   */
  readonly readOnly?: boolean
  /** The server or pooler permits no further connection and says why; the pool waits for those that it has. */
  readonly onLimited?: (message: string, connections: number) => void
}

const defaultConnectTimeoutMs = 2000
const probeTimeoutMs = 1000
const graceMs = 1000

/**
 * Opens a pool; it connects on the first query. While the database is down a query fails within two seconds. A query to
 * a database that does not respond fails a second after its statement timeout, and its connection is discarded; so does
 * a transaction, however many of its statements were completed before.
 */
export const openDatabase = (databaseUrl: string, options: DatabaseOptions = {}): Database => {
  const { ca, applicationName = 'crossfade', connections = 10, prepare = true } = options
  const {
    statementTimeoutMs = 5000,
    connectTimeoutMs = defaultConnectTimeoutMs,
    readOnly = false,
    onLimited,
  } = options
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

// Concurrent probes share one query, so a database that does not respond costs one connection.
const createProbe = (query: () => PromiseLike<unknown>) => {
  let pending: Promise<boolean> | undefined
  return () => {
    pending ??= succeeds(query).finally(() => {
      pending = undefined
    })
    return withTimeout(probeTimeoutMs, pending, () => false)
  }
}
