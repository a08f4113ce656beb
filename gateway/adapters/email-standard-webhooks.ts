import { Webhook } from 'standardwebhooks'
import { ApiError } from '#contracts/errors.ts'
import type { DeliveryHeader } from '#native-routes/define-webhook.ts'
import type { EmailPort } from '#native-routes/ports.ts'
import { decodeExactUtf8 } from './decode-exact-utf8.ts'

const toleranceS = 300
const timestampFormat = /^\d{10}$/
// Without a comma, so that a repeated header is not accepted as one id.
const idFormat = /^[!-+\--~]{1,255}$/
const signatureFormat =
  /^(?=(?:.* )?v1,)v\d+[a-z]*,[A-Za-z0-9+/]+={0,2}(?: v\d+[a-z]*,[A-Za-z0-9+/]+={0,2})*$/

const parseHeaders = (header: DeliveryHeader) => {
  const id = header('webhook-id') ?? ''
  const timestamp = header('webhook-timestamp') ?? ''
  const signature = header('webhook-signature') ?? ''
  const isWellFormed = idFormat.test(id) && timestampFormat.test(timestamp) && signatureFormat.test(signature)
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceS
  return isWellFormed && isFresh
    ? { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
    : null
}

/** Verifies deliveries by the Standard Webhooks specification. Without a secret every delivery is rejected. */
export const createStandardWebhooks = (secret: string | undefined): EmailPort => {
  const verifier = secret === undefined ? null : new Webhook(secret)
  return {
    requireSignature(header) {
      if (!verifier) throw new ApiError('email_webhook_not_configured')
      const headers = parseHeaders(header)
      if (!headers) throw new ApiError('email_signature_invalid')
      return async (rawBody) => {
        const body = decodeExactUtf8(rawBody)
        if (body === null) throw new ApiError('email_signature_invalid')
        try {
          verifier.verify(body, headers, { jsonParse: false })
        } catch {
          throw new ApiError('email_signature_invalid')
        }
      }
    },
  }
}
