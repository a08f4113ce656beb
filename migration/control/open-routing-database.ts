import { type Database, openDatabase } from '#db/client/connection.ts'
import type { Settings } from '#gateway/settings/settings.ts'

/** Settings of connections that do not belong to clients' requests. */
export type RoutingDatabaseSettings = Pick<
  Settings,
  'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_CA' | 'DATABASE_PREPARE'
>

interface RoutingDatabaseOptions {
  /** The connections' name in `pg_stat_activity`. */
  readonly applicationName: 'crossfade-routing' | 'crossfade-control' | 'crossfade-operators'
  readonly connections: number
  readonly statementTimeoutMs: number
  /** Defaults to one second, because its callers retry soon. */
  readonly connectTimeoutMs?: number
}

const defaultConnectTimeoutMs = 1000

/** Returns the database's address, without the pooler if there is one. */
export const readRoutingDatabaseUrl = ({ DATABASE_URL, DATABASE_DIRECT_URL }: RoutingDatabaseSettings) =>
  DATABASE_DIRECT_URL ?? DATABASE_URL

/** Opens a separate pool for the routing state, so requests that exhaust theirs do not delay it. */
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
