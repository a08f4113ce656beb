import QuickLRU from 'quick-lru'
import { signHmac } from '#shared/hmac-sha256.ts'

export type KeyedHash = (text: string) => string

const maxCachedHashes = 8192
const maxCachedTextLength = 512

/**
 * HMAC-SHA256 under the gateway's secret: the same text has the same hash on every instance, and a hash cannot be
 * matched against guessed texts without the secret. Hashes of different purposes are unrelated. The most recent hashes
 * are cached, because a page sends several requests with the same texts.
 */
export const createKeyedHash = (secret: string, purpose: string): KeyedHash => {
  const hashes = new QuickLRU<string, string>({ maxSize: maxCachedHashes })
  return (text) => {
    const cached = hashes.get(text)
    if (cached !== undefined) return cached
    const hash = signHmac(secret, `${purpose}\n${text}`).toString('base64url')
    if (text.length <= maxCachedTextLength) hashes.set(text, hash)
    return hash
  }
}
