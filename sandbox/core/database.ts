import postgres from 'postgres'

/** A connection pool or one transaction of it. */
export type Queryable = postgres.ISql

export type Database = postgres.Sql

/** Reconnects by itself, at once after the server is back: a gateway must see the core recover. */
export const connect = (databaseUrl: string): Database =>
  postgres(databaseUrl, {
    max: 5,
    idle_timeout: 30,
    connect_timeout: 3,
    backoff: () => 0.1,
    onnotice: () => {},
    // Columns come back under the names the wire uses; a value left out is stored as null.
    transform: { ...postgres.camel, undefined: null },
    connection: { application_name: 'sandbox-core', statement_timeout: 10_000 },
  })

/** The row of a statement that cannot answer without one, such as an insert. */
export const one = <T>([row]: readonly T[]): T => {
  if (row === undefined) throw new Error('a statement that always answers a row answered none')
  return row
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

// Connection failures of the driver and of the operating system, PostgreSQL's classes 08 (connection),
// 53 (out of resources) and 57 (shut down, timed out), and a database or tables that are not there yet.
const lostDatabase =
  /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENOTFOUND$|EAI_AGAIN$|08|53|57|3D000$|42P01$)/

export const isLostDatabase = (error: unknown) => lostDatabase.test(codeOf(error))

/** Whether a constraint of this kind refused the statement, so that the database has decided a race. */
export const isConflict = (error: unknown, kind: 'unique' | 'foreign key') =>
  codeOf(error) === (kind === 'unique' ? '23505' : '23503')
