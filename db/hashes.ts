import { hash } from 'node:crypto'
import QuickLRU from 'quick-lru'
import { signHmac } from '#shared/hmac-sha256.ts'

/** The stored form of a token: its SHA-256 in hexadecimal. 256 random bits need neither salt nor a slow hash. */
export const hashToken = (token: string) => hash('sha256', token, 'hex')

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
    const signature = signHmac(secret, `${purpose}\n${text}`).toString('base64url')
    if (text.length <= maxCachedTextLength) hashes.set(text, signature)
    return signature
  }
}

/** The names that a page gives its visitor and session, and the link that opened it. */
interface Visitor {
  readonly linkId?: string | undefined
  readonly visitorId?: string | undefined
  readonly sessionId?: string | undefined
}

/**
 * Creates the names under which visitors are stored: keyed hashes that differ from link to link, so the visitors
 * of one link can be counted and no visitor can be tracked across links. All processes that write engagement events to
 * one database need the same secret, or a visitor counts once for each of them.
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
