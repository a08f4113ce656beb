import Stripe from 'stripe'
import { ApiError } from '#contracts/errors.ts'
import { decodeExactUtf8 } from '../decode-exact-utf8.ts'
import { isFresh, requireHeaders, type Scheme } from './scheme.ts'

const toleranceS = 300
// One timestamp and at least one signature. The library would use the last of several timestamps, and accept any that
// is in the future.
const signatureFormat = /^t=(\d{10})(?=.*,v1=)(?:,v\d+=[0-9a-f]+)+$/

const webCrypto = Stripe.createSubtleCryptoProvider()

/** One header with a time and several signatures, verified by Stripe's library. */
export const stripe: Scheme = (header, secret, delivery) => {
  const invalid = () => new ApiError(delivery.errors.invalid)
  const receivedAt = Date.now()
  const [signature = ''] = requireHeaders(header, delivery)
  if (!isFresh(signatureFormat.exec(signature)?.[1])) throw invalid()
  return async (rawBody) => {
    const body = decodeExactUtf8(rawBody)
    if (body === null) throw invalid()
    try {
      const verifier = Stripe.webhooks.signature
      await verifier?.verifyHeaderAsync(body, signature, secret, toleranceS, webCrypto, receivedAt)
    } catch {
      throw invalid()
    }
  }
}
