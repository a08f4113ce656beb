import postgres from 'postgres'
import { resolveServers } from '#db/client/database-tls.ts'

export type Queryable = postgres.ISql

export type Database = postgres.Sql

/** Reconnects without delay, so that the gateway soon sees the core recover. */
export const connect = (databaseUrl: string, databaseCa: string | null): Database => {
  const [{ url, ssl }] = resolveServers(databaseUrl, databaseCa ?? undefined)
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

export const isConstraintViolation = (error: unknown, kind: 'unique' | 'foreign key') =>
  readErrorCode(error) === (kind === 'unique' ? '23505' : '23503')
