import postgres from 'postgres'
import { withTimeout } from '#shared/with-timeout.ts'

/** The statement may or may not have run. */
export class DatabaseUnreachable extends Error {
  override name = 'DatabaseUnreachable'
}

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

export const convertConnectionError = (error: unknown): unknown =>
  error instanceof Error && connectionErrors.has(codeOf(error))
    ? new DatabaseUnreachable(`cannot connect to the database: ${codeOf(error)}`, { cause: error })
    : error

const findServerError = (error: unknown): postgres.PostgresError | null => {
  if (error instanceof postgres.PostgresError) return error
  return error instanceof Error ? findServerError(error.cause) : null
}

export const isReadOnlyServer = (error: unknown) => findServerError(error)?.code === '25006'

export const isTableMissing = (error: unknown) => findServerError(error)?.code === '42P01'

// PostgreSQL uses 53300. PgBouncer uses 08P01 for every error of its own.
const isOfLimit = ({ code, message }: postgres.PostgresError) =>
  code === '53300' || (code === '08P01' && /no more connections allowed/i.test(message))

export const readConnectionLimit = (error: unknown): string | null => {
  const found = findServerError(error)
  return found && isOfLimit(found) ? found.message : null
}

const isFailure = (error: unknown, states: RegExp): boolean => {
  if (!(error instanceof Error)) return false
  if (error instanceof DatabaseUnreachable) return true
  if (error instanceof postgres.PostgresError) return states.test(error.code)
  return isFailure(error.cause, states)
}

// SQLSTATEs that no query can cause, so the database or the way to it must be at fault: connection exceptions (08),
// insufficient resources (53), shutdown (57P), system errors (58), invalid authorization (28), and a standby that is not
// promoted yet (25006).
const unreachableStates = /^(08...|53...|57P..|58...|28...|25006)$/

export const isDatabaseUnreachable = (error: unknown) => isFailure(error, unreachableStates)

// Also a lock timeout (55P03), a statement cancelled by timeout (57014), and an undefined database, table or column,
// which means that migrations are missing.
const unavailableStates = /^(08...|53...|57P..|58...|28...|25006|55P03|57014|3D000|42P01|42703)$/

export const isDatabaseUnavailable = (error: unknown) => isFailure(error, unavailableStates)
