import { ApiError } from '#contracts/errors.ts'
import type { SignedDelivery } from '../define-webhook.ts'
import { isHmacOf } from '../hmac-sha256.ts'
import type { Ports } from '../ports.ts'

const header = /^t=(\d{10}),v1=([0-9a-f]{64})$/
const toleranceS = 300

/**
 * Throws unless the delivery bears a signature of these very bytes, made within five minutes: one that was overheard
 * cannot be replayed later.
 */
export const verifySignature = async (delivery: SignedDelivery, { media, clock }: Ports) => {
  if (media.analysisSecret === null) throw new ApiError('media_intelligence_not_configured')
  const [, moment, signature] = header.exec(delivery.header('media-intelligence-signature') ?? '') ?? []
  if (moment === undefined || signature === undefined)
    throw new ApiError('media_intelligence_signature_invalid')
  const age = clock.now().valueOf() / 1000 - Number(moment)
  const isFresh = Math.abs(age) <= toleranceS
  const signed = new Uint8Array([...new TextEncoder().encode(`${moment}.`), ...delivery.rawBody])
  if (!isFresh || !(await isHmacOf(signature, media.analysisSecret, signed)))
    throw new ApiError('media_intelligence_signature_invalid')
}
