import { ApiError } from '#contracts/errors.ts'
import { parseHexDigest, verifyHmac } from '#shared/hmac-sha256.ts'
import { isFresh, requireHeaders, type Scheme } from './scheme.ts'

// One time and at least one signature of the version that is verified.
const signatureFormat = /^t=(\d{10})(?=.*,v1=)(?:,v\d+=[0-9a-f]+)+$/
const signatures = /(?<=,v1=)[0-9a-f]+/g

/** One header with a time and several signatures, one for each secret that the sender uses during a rotation. */
export const stripe: Scheme = (header, secret, delivery) => {
  const invalid = () => new ApiError(delivery.errors.invalid)
  const [value = ''] = requireHeaders(header, delivery)
  const timestamp = signatureFormat.exec(value)?.[1]
  if (!isFresh(timestamp)) throw invalid()
  const digests = [...value.matchAll(signatures)].flatMap(([digest]) => parseHexDigest(digest) ?? [])
  return async (rawBody) => {
    if (!digests.some((digest) => verifyHmac(digest, secret, `${timestamp}.`, rawBody))) throw invalid()
  }
}
