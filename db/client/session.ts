import postgres from 'postgres'
import type { DatabaseServer } from './database-tls.ts'
import { areSettingsInForce, setLocalSettings, startupSettings } from './session-settings.ts'
import { DatabaseUnreachable, withDatabaseTimeout } from './unreachable.ts'

export interface Session {
  readonly sql: postgres.Sql
  readonly server: DatabaseServer
  isConnected: boolean
  /**
   * Null if the server itself ends this connection's slow statements and idle transactions. Otherwise, a pooler rejects
   * or ignores these limits, so each transaction sets them, and a cancel request ends a slow statement outside a
   * transaction.
   */
  readonly limits: SessionLimits | null
  readonly isReadOnly: boolean
  /**
   * Whether even a single statement needs a transaction, because some settings can be applied only in a transaction.
   */
  readonly needsTransactions: boolean
}

interface SessionLimits {
  readonly statementTimeoutMs: number
  readonly setLocal: string
}

export interface SessionOptions {
  readonly applicationName: string
  readonly statementTimeoutMs: number
  readonly readOnly?: boolean
  readonly prepare: boolean
  readonly connectTimeoutMs: number
  readonly configure?: (sql: postgres.Sql) => void
}

export interface SessionState {
  readonly statement_ms: string
  readonly idle_ms: string
  readonly is_standby: boolean
  readonly is_read_only: boolean
  readonly is_read_only_by_default: boolean
  readonly has_settings: boolean
}

// By server URL: how many of the `startupSettings`, which are tried in turn, its pooler has rejected. Remembered,
// because on Workers every request opens the database.
const rejections = new Map<string, number>()

const isRejectedByPooler = (error: unknown) =>
  error instanceof postgres.PostgresError && error.message.includes('unsupported startup parameter')

const timeoutsOf = (timeoutMs: number) => ({
  statement_timeout: timeoutMs,
  idle_in_transaction_session_timeout: timeoutMs,
})

const setLocalOf = (timeoutMs: number) =>
  Object.entries(timeoutsOf(timeoutMs))
    .map(([name, value]) => `set local ${name} = ${value}`)
    .concat(setLocalSettings)
    .join('; ')

const limitsOf = ({ statementTimeoutMs, readOnly }: SessionOptions) => ({
  ...timeoutsOf(statementTimeoutMs),
  ...(readOnly ? { default_transaction_read_only: true } : {}),
})

const readState = async (sql: postgres.Sql) => {
  const [state] = await sql<SessionState[]>`
    select extract(epoch from current_setting('statement_timeout')::interval) * 1000 as statement_ms,
      extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval) * 1000 as idle_ms,
      pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only,
      current_setting('default_transaction_read_only') = 'on' as is_read_only_by_default,
      ${sql.unsafe(areSettingsInForce)} as has_settings`.simple()
  if (!state) throw new DatabaseUnreachable('PostgreSQL returned no session state')
  return state
}

const connect = async (server: DatabaseServer, options: SessionOptions, rejected: number) => {
  const { applicationName, prepare, connectTimeoutMs } = options
  const session = { isConnected: true, server }
  const sql = postgres(server.url, {
    ssl: server.ssl,
    prepare,
    max: 1,
    connect_timeout: connectTimeoutMs / 1000,
    idle_timeout: 30,
    // If true, the driver would fetch array types along with the first query, and if the connection were lost
    // meanwhile, the rejection would be unhandled.
    fetch_types: false,
    onnotice: () => undefined,
    onclose: () => {
      session.isConnected = false
    },
    connection: {
      application_name: applicationName,
      ...startupSettings[rejected],
      ...(rejected === 0 ? limitsOf(options) : {}),
    },
  })
  options.configure?.(sql)
  try {
    const state = await withDatabaseTimeout(connectTimeoutMs, readState(sql))
    return { session: Object.assign(session, { sql }), state }
  } catch (error) {
    sql.end({ timeout: 0 }).catch(() => undefined)
    throw error
  }
}

const connectWithSettings = async (server: DatabaseServer, options: SessionOptions) => {
  for (;;) {
    const rejected = rejections.get(server.url) ?? 0
    try {
      return await connect(server, options, rejected)
    } catch (error) {
      if (!isRejectedByPooler(error) || rejected + 1 === startupSettings.length) throw error
      rejections.set(server.url, rejected + 1)
    }
  }
}

export const openSession = async (
  server: DatabaseServer,
  options: SessionOptions,
  isAcceptable: (state: SessionState) => boolean,
): Promise<Session | null> => {
  const { statementTimeoutMs, readOnly = false } = options
  const { session, state } = await connectWithSettings(server, options)
  if (!isAcceptable(state)) {
    session.sql.end({ timeout: 0 }).catch(() => undefined)
    return null
  }
  // A pooler may accept the settings but ignore them.
  const hasTimeouts = [state.statement_ms, state.idle_ms].every((ms) => Number(ms) === statementTimeoutMs)
  const hasMode = !readOnly || state.is_read_only_by_default
  const areInForce = hasTimeouts && hasMode && state.has_settings
  const limits = areInForce ? null : { statementTimeoutMs, setLocal: setLocalOf(statementTimeoutMs) }
  const needsTransactions = limits !== null && (readOnly || !state.has_settings)
  return Object.assign(session, { limits, isReadOnly: readOnly, needsTransactions })
}
