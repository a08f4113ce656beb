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

// Tokens need not name their key (RFC 7515, section 4.1.4), so try every key that could match.
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
 * If a token without a `kid` matches none, fetches the keys again once, as jose itself does for a token with a `kid`.
 * Throws jose's errors.
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

// jose's codes for a key set that could not be fetched. All others mean an invalid token.
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
  // If the claim is not a number, the reason is a different one, and the token counts as malformed.
  return claim === 'nbf' && reason === 'check_failed' ? 'token_not_yet_valid' : 'malformed'
}

/** Returns what is wrong with the token according to a jose error; null if the token is not to blame. */
export const findTokenFault = (error: unknown): UnauthorizedReason | null => {
  if (!(error instanceof errors.JOSEError) || keySetErrorCodes.includes(error.code)) return null
  if (error instanceof errors.JWTClaimValidationFailed) return reasonOfClaim(error)
  return reasonsByCode.get(error.code) ?? 'malformed'
}
