import { createHmac, timingSafeEqual } from 'node:crypto'

type Part = string | Uint8Array

const hexDigest = /^[0-9a-f]{64}$/
// Two bits of the last character are not part of the digest and must be zero.
const base64Digest = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/** Returns the HMAC-SHA256 of the concatenated parts. Text is encoded as UTF-8. */
export const signHmac = (secret: Part, ...parts: readonly Part[]): Buffer => {
  const hmac = createHmac('sha256', secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

export const isSameDigest = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && timingSafeEqual(left, right)

export const verifyHmac = (signature: Uint8Array, secret: Part, ...parts: readonly Part[]): boolean =>
  isSameDigest(signature, signHmac(secret, ...parts))

/** Parses a digest of 64 lower-case hexadecimal digits; null for any other text. */
export const parseHexDigest = (text: string): Uint8Array | null =>
  hexDigest.test(text) ? Buffer.from(text, 'hex') : null

/** Parses a digest in padded base64; null for any other text. */
export const parseBase64Digest = (text: string): Uint8Array | null =>
  base64Digest.test(text) ? Buffer.from(text, 'base64') : null

export const decodeWebhookSecret = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
