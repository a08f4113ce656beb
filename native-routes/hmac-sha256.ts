const algorithm = { name: 'HMAC', hash: 'SHA-256' }
const hexDigest = /^[0-9a-f]{64}$/

// A deployment has few secrets; the key of each is imported once.
const keys = new Map<string, Promise<CryptoKey>>()

const importKey = (secret: string) => {
  const cached = keys.get(secret)
  if (cached) return cached
  const key = crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify'])
  keys.set(secret, key)
  return key
}

/** Parses a SHA-256 digest in lower-case hexadecimal; null for any other text. */
export const parseHexDigest = (text: string): Uint8Array<ArrayBuffer> | null =>
  hexDigest.test(text) ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)) : null

/** Whether `signature` is the HMAC of these bytes with the secret; compares in constant time. */
export const verifyHmac = async (
  signature: Uint8Array<ArrayBuffer>,
  secret: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> => crypto.subtle.verify('HMAC', await importKey(secret), signature, bytes)
