import {
  type createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'

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
