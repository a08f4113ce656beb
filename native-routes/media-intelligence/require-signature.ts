import { ApiError } from '#contracts/errors.ts'
import { parseHexDigest, verifyHmac } from '#shared/hmac-sha256.ts'
import type { DeliveryHeader, VerifyBody } from '../define-webhook.ts'
import type { Ports } from '../ports.ts'

const signatureHeader = /^t=(\d{10}),v1=([0-9a-f]+)$/
const toleranceS = 300

/**
 * Throws unless the signature header is well-formed and its timestamp is within five minutes of now, which limits the
 * replay of a captured request. Returns a function that verifies the signature of the body.
 */
export const requireSignature = (
  header: DeliveryHeader,
  { media: { analysisSecret }, clock }: Pick<Ports, 'media' | 'clock'>,
): VerifyBody => {
  if (analysisSecret === null) throw new ApiError('media_intelligence_not_configured')
  const [, timestamp, digest = ''] = signatureHeader.exec(header('media-intelligence-signature') ?? '') ?? []
  const signature = parseHexDigest(digest)
  const isFresh = Math.abs(clock.now().valueOf() / 1000 - Number(timestamp)) <= toleranceS
  if (!isFresh || signature === null) throw new ApiError('media_intelligence_signature_invalid')
  return async (rawBody) => {
    if (!verifyHmac(signature, analysisSecret, `${timestamp}.`, rawBody))
      throw new ApiError('media_intelligence_signature_invalid')
  }
}
