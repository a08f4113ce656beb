import { ApiError } from '#contracts/errors.ts'
import type { SignedDelivery } from '../define-webhook.ts'
import type { Ports } from '../ports.ts'

const header = /^t=(\d{10}),v1=([0-9a-f]{64})$/
const toleranceS = 300

const encoder = new TextEncoder()

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

const isSigned = async (secret: string, moment: string, signature: string, rawBody: Uint8Array) => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify'])
  const signed = new Uint8Array([...encoder.encode(`${moment}.`), ...rawBody])
  // Compares in constant time.
  return crypto.subtle.verify('HMAC', key, bytesOf(signature), signed)
}

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
  if (!isFresh || !(await isSigned(media.analysisSecret, moment, signature, delivery.rawBody)))
    throw new ApiError('media_intelligence_signature_invalid')
}
