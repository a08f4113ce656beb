import { hash } from 'node:crypto'
import QuickLRU from 'quick-lru'
import { signHmac } from '#shared/hmac-sha256.ts'

/** A token of 256 random bits needs no salt or slow hash. */
export const hashToken = (token: string) => hash('sha256', token, 'hex')

export type KeyedHash = (text: string) => string

const maxCachedHashes = 8192
const maxCachedTextLength = 512

/**
 * Returns a function that computes HMAC-SHA256 hashes, keyed with the gateway's secret. A text has the same hash on
 * every instance and unrelated hashes for different purposes. Without the secret, the hashes do not help anyone guess
 * the texts. Recent hashes are cached, because a page sends several requests with the same texts.
 */
export const createKeyedHash = (secret: string, purpose: string): KeyedHash => {
  const hashes = new QuickLRU<string, string>({ maxSize: maxCachedHashes })
  return (text) => {
    const cached = hashes.get(text)
    if (cached !== undefined) return cached
    const signature = signHmac(secret, `${purpose}\n${text}`).toString('base64url')
    if (text.length <= maxCachedTextLength) hashes.set(text, signature)
    return signature
  }
}

interface Visitor {
  readonly linkId?: string | undefined
  readonly visitorId?: string | undefined
  readonly sessionId?: string | undefined
}

/**
 * Creates the pseudonyms under which visitors are stored. They are keyed hashes that differ per link, so that a link's
 * visitors can be counted but not tracked across links. All processes that write to one database need the same secret.
 */
export const createVisitorPseudonyms = (secret: string) => {
  const hashName = createKeyedHash(secret, 'visitors')
  return ({ linkId, visitorId, sessionId }: Visitor) => {
    const pseudonym = (kind: string, name: string | undefined) =>
      name === undefined ? null : hashName(JSON.stringify([kind, linkId, name]))
    return { visitorId: pseudonym('visitor', visitorId), sessionId: pseudonym('session', sessionId) }
  }
}

export type VisitorPseudonyms = ReturnType<typeof createVisitorPseudonyms>
