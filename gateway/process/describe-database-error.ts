// By error code of the system, the driver or PostgreSQL.
const descriptions: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  CONNECT_TIMEOUT: 'timed out',
  '28P01': 'wrong user or password',
  '28000': 'the user is not allowed to connect',
  '3D000': 'the database does not exist',
}

/** Describes a connection error without revealing the database URL; null for other errors. */
export const describeDatabaseError = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null
  const code = 'code' in error ? String(error.code) : ''
  const description = descriptions[code]
  return description === undefined
    ? describeDatabaseError(error.cause)
    : `cannot connect to the database: ${description} (${code}), check DATABASE_URL`
}
