import { Webhook } from 'standardwebhooks'
import { ApiError } from '#contracts/errors.ts'
import { decodeExactUtf8 } from '../decode-exact-utf8.ts'
import { isFresh, requireHeaders, type Scheme } from './scheme.ts'

const timestampFormat = /^\d{10}$/
// Without a comma, so that a repeated header is not accepted as one id.
const idFormat = /^[!-+\--~]{1,255}$/
const signatureFormat =
  /^(?=(?:.* )?v1,)v\d+[a-z]*,[A-Za-z0-9+/]+={0,2}(?: v\d+[a-z]*,[A-Za-z0-9+/]+={0,2})*$/

/** The Standard Webhooks specification: three headers, with the id, the time and the signatures. */
export const standardWebhooks: Scheme = (header, secret, delivery) => {
  const invalid = () => new ApiError(delivery.errors.invalid)
  const verifier = new Webhook(secret)
  const [id = '', timestamp = '', signature = ''] = requireHeaders(header, delivery)
  const isWellFormed = idFormat.test(id) && timestampFormat.test(timestamp) && signatureFormat.test(signature)
  if (!isWellFormed || !isFresh(timestamp)) throw invalid()
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  return async (rawBody) => {
    const body = decodeExactUtf8(rawBody)
    if (body === null) throw invalid()
    try {
      verifier.verify(body, headers, { jsonParse: false })
    } catch {
      throw invalid()
    }
  }
}
