import { type Database, openDatabase } from '#db/client/connection.ts'
import type { Settings } from '#gateway/settings/settings.ts'

/** The settings of connections that do not belong to the requests of clients. */
export type RoutingDatabaseSettings = Pick<
  Settings,
  'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_CA' | 'DATABASE_PREPARE'
>

interface RoutingDatabaseOptions {
  /** As `pg_stat_activity` shows the connections. */
  readonly applicationName: 'crossfade-routing' | 'crossfade-control' | 'crossfade-operators'
  readonly connections: number
  readonly statementTimeoutMs: number
  /** Defaults to a second: what waits for it is repeated soon. */
  readonly connectTimeoutMs?: number
}

const defaultConnectTimeoutMs = 1000

/** The database without the pooler, if it has another address there. */
export const readRoutingDatabaseUrl = ({ DATABASE_URL, DATABASE_DIRECT_URL }: RoutingDatabaseSettings) =>
  DATABASE_DIRECT_URL ?? DATABASE_URL

/** Opens a pool for the routing state, which requests that exhaust theirs do not delay. */
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
