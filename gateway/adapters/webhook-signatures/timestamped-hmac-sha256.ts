import { ApiError } from '#contracts/errors.ts'
import { parseHexDigest, verifyHmac } from '#shared/hmac-sha256.ts'
import { isFresh, requireHeaders, type Scheme } from './scheme.ts'

const signatureFormat = /^t=(\d{10}),v1=([0-9a-f]+)$/

/** One header, `t=<unix seconds>,v1=<digest>`; the digest is that of the time, a dot and the body. */
export const timestampedHmacSha256: Scheme = (header, secret, delivery) => {
  const [value = ''] = requireHeaders(header, delivery)
  const [, timestamp, digest = ''] = signatureFormat.exec(value) ?? []
  const signature = parseHexDigest(digest)
  if (!isFresh(timestamp) || signature === null) throw new ApiError(delivery.errors.invalid)
  return async (rawBody) => {
    if (!verifyHmac(signature, secret, `${timestamp}.`, rawBody)) throw new ApiError(delivery.errors.invalid)
  }
}
