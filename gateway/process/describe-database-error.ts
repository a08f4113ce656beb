// By the codes of the system, of the driver and of PostgreSQL.
const faults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  CONNECT_TIMEOUT: 'nobody answers there',
  '28P01': 'the user or the password is wrong',
  '28000': 'the user may not connect',
  '3D000': 'there is no such database',
}

/** What is the matter with the address of the database, never the address itself; null where it is something else. */
export const describeDatabaseError = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null
  const code = 'code' in error ? String(error.code) : ''
  const fault = faults[code]
  return fault === undefined
    ? describeDatabaseError(error.cause)
    : `DATABASE_URL leads to no database: ${fault} (${code})`
}
