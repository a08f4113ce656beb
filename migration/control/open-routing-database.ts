import { type Database, openDatabase } from '#db/client/connection.ts'
import type { Settings } from '#gateway/settings/settings.ts'

/** The settings of connections that do not belong to the requests of clients. */
export type RoutingDatabaseSettings = Pick<
  Settings,
  'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_CA' | 'DATABASE_PREPARE'
>

interface RoutingDatabaseOptions {
  /** The name of the connections in `pg_stat_activity`. */
  readonly applicationName: 'crossfade-routing' | 'crossfade-control' | 'crossfade-operators'
  readonly connections: number
  readonly statementTimeoutMs: number
  /** Defaults to one second, because its callers retry soon. */
  readonly connectTimeoutMs?: number
}

const defaultConnectTimeoutMs = 1000

/** The database's address without the pooler, if there is one. */
export const readRoutingDatabaseUrl = ({ DATABASE_URL, DATABASE_DIRECT_URL }: RoutingDatabaseSettings) =>
  DATABASE_DIRECT_URL ?? DATABASE_URL

/** Opens a separate pool for the routing state, so requests that exhaust their own pool do not delay it. */
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
