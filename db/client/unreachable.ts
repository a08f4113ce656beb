import postgres from 'postgres'
import { withTimeout } from '#shared/with-timeout.ts'

/** The database did not answer; whether it did what it was asked, nobody knows. */
export class DatabaseUnreachable extends Error {
  override name = 'DatabaseUnreachable'
}

/** The result of a query, or after `ms` milliseconds a DatabaseUnreachable error. */
export const withDatabaseTimeout = <T>(ms: number, query: PromiseLike<T>): Promise<T> =>
  withTimeout(ms, query, () => {
    throw new DatabaseUnreachable(`no response within ${ms} ms`)
  })

const connectionErrors = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

const codeOf = (error: Error) => ('code' in error && typeof error.code === 'string' ? error.code : '')

/** An error of the driver as the callers see it: a lost connection gets its name, anything else stays as it is. */
export const toUnreachable = (error: unknown): unknown =>
  error instanceof Error && connectionErrors.has(codeOf(error))
    ? new DatabaseUnreachable(`the database cannot be reached (${codeOf(error)})`, { cause: error })
    : error

// SQLSTATE: connection exceptions (08), insufficient resources (53), a lock that was not to be had in time (55P03),
// cancelled by timeout (57014), shutdown (57P), system errors (58), no right to enter (28), read-only as a standby is
// that has not been promoted yet (25006), and a database, table or column that is not there: its migrations are missing.
const outOfOrder = /^(08...|53...|55P03|57014|57P..|58...|28...|25006|3D000|42P01|42703)$/

/** Whether an error says that the database, or its migrations, are not there, rather than that a query was wrong. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (error instanceof DatabaseUnreachable) return true
  if (error instanceof postgres.PostgresError) return outOfOrder.test(error.code)
  return isDatabaseUnavailable(error.cause)
}
