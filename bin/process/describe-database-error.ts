interface Failure {
  readonly description: string
  readonly advice: string
}

const connection = (description: string): Failure => ({ description, advice: 'check DATABASE_URL' })

const untrustedCertificate: Failure = {
  description: 'its certificate is not signed by a trusted CA',
  advice: "set DATABASE_CA to the database's CA bundle",
}
const invalidPeriod: Failure = {
  description: 'its certificate is not valid at this time',
  advice: "renew the database's certificate",
}

// The keys are error codes from the operating system, the driver, Node's TLS or PostgreSQL.
const failures: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: connection('connection refused'),
  ENOTFOUND: connection('host not found'),
  CONNECT_TIMEOUT: connection('timed out'),
  '28P01': connection('wrong user or password'),
  '28000': connection('the user is not allowed to connect'),
  '3D000': connection('the database does not exist'),
  NO_ACCEPTABLE_SERVER: connection('no server is in the state that target_session_attrs requires'),
  // If the server declines TLS, the driver starts it anyway, and the server closes the connection.
  ECONNRESET: {
    description: 'the server closed the connection',
    advice:
      'check DATABASE_URL; if the server does not offer TLS, enable it there or add sslmode=disable to DATABASE_URL',
  },
  CERT_UNTRUSTED: untrustedCertificate,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrustedCertificate,
  SELF_SIGNED_CERT_IN_CHAIN: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrustedCertificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrustedCertificate,
  CERT_HAS_EXPIRED: invalidPeriod,
  CERT_NOT_YET_VALID: invalidPeriod,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    description: 'its certificate is for another host name',
    advice:
      'use that host name in DATABASE_URL, or add sslmode=verify-ca to DATABASE_URL and set DATABASE_CA',
  },
}

/**
 * Describes a connection error and names the setting to check, without revealing the database URL. Returns null for any
 * other error.
 */
export const describeDatabaseError = (
  error: unknown,
  setting: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' = 'DATABASE_URL',
): string | null => {
  if (!(error instanceof Error)) return null
  const code = 'code' in error ? String(error.code) : ''
  const failure = failures[code]
  return failure === undefined
    ? describeDatabaseError(error.cause, setting)
    : `cannot connect to the database: ${failure.description} (${code}); ${failure.advice.replaceAll('DATABASE_URL', setting)}`
}
