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

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** Whether `signature`, in lower-case hexadecimal, was made with the secret over these bytes; in constant time. */
export const isHmacOf = async (
  signature: string,
  secret: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> => {
  if (!hexDigest.test(signature)) return false
  return crypto.subtle.verify('HMAC', await keyOf(secret), bytesOf(signature), signed)
}
