import { ApiError } from '#contracts/errors.ts'
import { parseHexDigest, verifyHmac } from '#shared/hmac-sha256.ts'
import { requireHeaders, type Scheme } from './scheme.ts'

/** One header with the digest of the body. */
export const hmacSha256: Scheme = (header, secret, delivery) => {
  const [value = ''] = requireHeaders(header, delivery)
  const signature = parseHexDigest(value)
  if (signature === null) throw new ApiError(delivery.errors.invalid)
  return async (rawBody) => {
    if (!verifyHmac(signature, secret, rawBody)) throw new ApiError(delivery.errors.invalid)
  }
}
