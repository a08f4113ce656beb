import {
  type createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'

type KeySet = ReturnType<typeof createRemoteJWKSet>

const isOfAnotherKey = (error: unknown) => error instanceof errors.JWSSignatureVerificationFailed

// A token need not name its key (RFC 7515 section 4.1.4): then each that may be meant is tried.
const verifyByAny = async (
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
      } catch (fault) {
        if (!isOfAnotherKey(fault)) throw fault
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/**
 * Verifies a token by the published keys, and by those published since where it fits none and names none; the library
 * fetches anew by itself for a key that is named. Throws jose's errors.
 */
export const verifyByKeySet = async (token: string, keys: KeySet, options: JWTVerifyOptions) => {
  try {
    return await verifyByAny(token, keys, options)
  } catch (error) {
    const mayBeNewer = isOfAnotherKey(error) && decodeProtectedHeader(token).kid === undefined
    if (!mayBeNewer || keys.coolingDown) throw error
    await keys.reload()
    return verifyByAny(token, keys, options)
  }
}
