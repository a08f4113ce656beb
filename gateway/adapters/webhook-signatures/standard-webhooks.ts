import { ApiError } from '#contracts/errors.ts'
import { parseBase64Digest, verifyHmac } from '#shared/hmac-sha256.ts'
import { isFresh, requireHeaders, type Scheme } from './scheme.ts'

const timestampFormat = /^\d{10}$/
// Without a comma, so that a repeated header is not accepted as one id.
const idFormat = /^[!-+\--~]{1,255}$/
const signatureFormat =
  /^(?=(?:.* )?v1,)v\d+[a-z]*,[A-Za-z0-9+/]+={0,2}(?: v\d+[a-z]*,[A-Za-z0-9+/]+={0,2})*$/
const signatures = /(?<=(?:^| )v1,)[A-Za-z0-9+/=]+/g

const decodeSecret = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

/** The Standard Webhooks specification: three headers, with the id, the time and the signatures. */
export const standardWebhooks: Scheme = (header, secret, delivery) => {
  const invalid = () => new ApiError(delivery.errors.invalid)
  const [id = '', timestamp = '', signature = ''] = requireHeaders(header, delivery)
  const isWellFormed = idFormat.test(id) && timestampFormat.test(timestamp) && signatureFormat.test(signature)
  if (!isWellFormed || !isFresh(timestamp)) throw invalid()
  const key = decodeSecret(secret)
  const digests = [...signature.matchAll(signatures)].flatMap(([digest]) => parseBase64Digest(digest) ?? [])
  return async (rawBody) => {
    if (!digests.some((digest) => verifyHmac(digest, key, `${id}.${timestamp}.`, rawBody))) throw invalid()
  }
}
