import {
  type createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import type { UnauthorizedReason } from '../request/outcome.ts'

type KeySet = ReturnType<typeof createRemoteJWKSet>

const isSignedWithAnotherKey = (error: unknown) => error instanceof errors.JWSSignatureVerificationFailed

// A token need not name its key (RFC 7515, section 4.1.4): then each matching key is tried.
const verifyWithAnyKey = async (
  token: string,
  keys: KeySet,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> => {
  try {
    return await jwtVerify(token, keys, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options)
      } catch (keyError) {
        if (!isSignedWithAnotherKey(keyError)) throw keyError
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/**
 * Verifies a token with the published keys. If a token without a `kid` matches none of them, the key set is fetched
 * again once; for a token with a `kid` the library does this itself. Throws jose's errors.
 */
export const verifyWithKeySet = async (token: string, keys: KeySet, options: JWTVerifyOptions) => {
  try {
    return await verifyWithAnyKey(token, keys, options)
  } catch (error) {
    const mayHaveNewKey = isSignedWithAnotherKey(error) && decodeProtectedHeader(token).kid === undefined
    if (!mayHaveNewKey || keys.coolingDown) throw error
    await keys.reload()
    return verifyWithAnyKey(token, keys, options)
  }
}

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

/** The token's problem that made jose throw `error`; null if the token is not at fault, for example without a key set. */
export const findTokenFault = (error: unknown): UnauthorizedReason | null => {
  if (!(error instanceof errors.JOSEError) || keySetErrorCodes.includes(error.code)) return null
  if (error instanceof errors.JWTClaimValidationFailed) return reasonOfClaim(error)
  return reasonsByCode.get(error.code) ?? 'malformed'
}
