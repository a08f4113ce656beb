import postgres from 'postgres'
import { resolveServers } from '#db/client/database-tls.ts'
import { CoreError, type CoreErrorCode } from './core-error.ts'
import type { CoreSettings } from './settings.ts'

export type Queryable = postgres.ISql

export type Database = postgres.Sql

/** Reconnects without delay, so that the gateway soon sees the core recover. */
export const connect = ({
  DATABASE_URL,
  DATABASE_CA,
}: Pick<CoreSettings, 'DATABASE_URL' | 'DATABASE_CA'>): Database => {
  const [{ url, ssl }] = resolveServers(DATABASE_URL, DATABASE_CA)
  return postgres(url, {
    ssl,
    max: 5,
    idle_timeout: 30,
    connect_timeout: 3,
    backoff: () => 0.1,
    onnotice: () => {},
    // Columns come back in camel case, as in responses. Undefined values are stored as null.
    transform: { ...postgres.camel, undefined: null },
    connection: { application_name: 'sandbox-core', statement_timeout: 10_000 },
  })
}

export const requireRow = <T>([row]: readonly T[]): T => {
  if (row === undefined) throw new Error('the statement returned no row')
  return row
}

const readErrorCode = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

// Connection errors from the driver and the operating system, PostgreSQL's classes 08 (connection), 53 (out of
// resources) and 57 (shutdown, timeout), and a missing database or table.
const unavailableCodes =
  /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENOTFOUND$|EAI_AGAIN$|08|53|57|3D000$|42P01$)/

export const isDatabaseUnavailable = (error: unknown) => unavailableCodes.test(readErrorCode(error))

const violationCodes = { unique: '23505', 'foreign key': '23503' } as const

/** Returns a `catch` handler that turns the violation of such a constraint into an error response. */
export const rethrowViolation =
  (kind: keyof typeof violationCodes, response: CoreErrorCode) =>
  (error: unknown): never => {
    throw readErrorCode(error) === violationCodes[kind] ? new CoreError(response) : error
  }
