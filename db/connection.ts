import { DrizzleQueryError } from 'drizzle-orm'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'

type Drizzle = PostgresJsDatabase<Record<string, never>>

/** A database or a transaction on it: whatever a query function may be given to write with. */
export type Queryable = Pick<
  Drizzle,
  | 'select'
  | 'selectDistinct'
  | 'selectDistinctOn'
  | '$with'
  | 'with'
  | 'insert'
  | 'update'
  | 'delete'
  | 'execute'
>

/** The reading face of a database or a transaction. */
export type Reader = Pick<Drizzle, 'select' | 'selectDistinct' | 'selectDistinctOn' | '$with' | 'with'>

export interface Database {
  readonly db: Drizzle
  /** Whether a query is answered within a second. */
  isReachable(): Promise<boolean>
  close(): Promise<void>
}

interface DatabaseOptions {
  readonly connections?: number
}

/** Opens a pool on this address; nothing is connected before the first query. */
export const openDatabase = (url: string, { connections = 10 }: DatabaseOptions = {}): Database => {
  const sql = postgres(url, {
    max: connections,
    connect_timeout: 2,
    backoff: () => 0.1,
    idle_timeout: 60,
    connection: { statement_timeout: 10_000, idle_in_transaction_session_timeout: 15_000 },
    onnotice: () => undefined,
  })
  return {
    db: drizzle(sql, { casing: 'snake_case' }),
    isReachable: () =>
      Promise.race([
        sql`select 1`.then(
          () => true,
          () => false,
        ),
        new Promise<false>((resolve) => setTimeout(() => resolve(false), 1000)),
      ]),
    close: () => sql.end({ timeout: 5 }),
  }
}

const lostConnectionCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '42P01',
  '42703',
])

/** Whether an error means that the database, or its migrations, are not there rather than that a query was wrong. */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (lostConnectionCodes.has(code) || code.startsWith('08')) return true
  return (
    (error instanceof DrizzleQueryError || error.cause !== undefined) && isDatabaseUnavailable(error.cause)
  )
}
