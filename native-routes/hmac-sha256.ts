const algorithm = { name: 'HMAC', hash: 'SHA-256' }
const hexDigest = /^[0-9a-f]{64}$/

// A deployment has few secrets, each of which is made into a key once.
const keys = new Map<string, Promise<CryptoKey>>()

const keyOf = (secret: string) => {
  const known = keys.get(secret)
  if (known) return known
  const key = crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify'])
  keys.set(secret, key)
  return key
}

/** The bytes of a digest in lower-case hexadecimal; null where the text is none. */
export const parseHexDigest = (text: string): Uint8Array<ArrayBuffer> | null =>
  hexDigest.test(text) ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)) : null

/** Whether `signature` was made with the secret over these bytes; in constant time. */
export const verifyHmac = async (
  signature: Uint8Array<ArrayBuffer>,
  secret: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> => crypto.subtle.verify('HMAC', await keyOf(secret), signature, signed)
