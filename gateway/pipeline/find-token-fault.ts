import { errors } from 'jose'
import type { UnauthorizedReason } from '../request/reasons.ts'

// These codes of jose's errors say that the key set cannot be fetched; all others say that the token is invalid.
const keySetErrorCodes = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID']

const reasonsByCode = new Map<string, UnauthorizedReason>([
  [errors.JWTExpired.code, 'token_expired'],
  [errors.JWKSNoMatchingKey.code, 'unknown_key'],
  [errors.JOSEAlgNotAllowed.code, 'algorithm_not_allowed'],
  [errors.JWSSignatureVerificationFailed.code, 'signature'],
])

const reasonOfClaim = ({ claim, reason }: errors.JWTClaimValidationFailed): UnauthorizedReason => {
  if (claim === 'iss') return 'issuer'
  if (claim === 'aud') return 'audience'
  // Not a number is another reason, and malformed.
  return claim === 'nbf' && reason === 'check_failed' ? 'token_not_yet_valid' : 'malformed'
}

/** What is wrong with the token for which jose threw `error`; null if nothing is, for example without a key set. */
export const findTokenFault = (error: unknown): UnauthorizedReason | null => {
  if (!(error instanceof errors.JOSEError) || keySetErrorCodes.includes(error.code)) return null
  if (error instanceof errors.JWTClaimValidationFailed) return reasonOfClaim(error)
  return reasonsByCode.get(error.code) ?? 'malformed'
}
