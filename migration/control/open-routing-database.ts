import { type Database, openDatabase, type Reader } from '#db/client/connection.ts'
import type { Settings } from '#gateway/settings/settings.ts'

export type RoutingDatabaseSettings = Pick<
  Settings,
  'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_CA' | 'DATABASE_PREPARE'
>

interface RoutingDatabaseOptions {
  /** The connections' name in `pg_stat_activity`. */
  readonly applicationName: 'crossfade-routing' | 'crossfade-control' | 'crossfade-operators'
  readonly connections: number
  readonly statementTimeoutMs: number
  /** Defaults to one second, because callers retry soon. */
  readonly connectTimeoutMs?: number
}

const defaultConnectTimeoutMs = 1000

/** Returns the database's address, bypassing the pooler if there is one. */
export const readRoutingDatabaseUrl = ({ DATABASE_URL, DATABASE_DIRECT_URL }: RoutingDatabaseSettings) =>
  DATABASE_DIRECT_URL ?? DATABASE_URL

/** Opens a separate pool for the routing state, so that it is not delayed when requests exhaust their own pool. */
export const openRoutingDatabase = (
  settings: RoutingDatabaseSettings,
  options: RoutingDatabaseOptions,
): Database =>
  openDatabase(readRoutingDatabaseUrl(settings), {
    ca: settings.DATABASE_CA,
    prepare: settings.DATABASE_PREPARE,
    connectTimeoutMs: defaultConnectTimeoutMs,
    ...options,
  })

export const readSnapshot = <T>(db: Database['db'], read: (tx: Reader) => Promise<T>): Promise<T> =>
  db.transaction(read, { isolationLevel: 'repeatable read', accessMode: 'read only' })
