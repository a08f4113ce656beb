const algorithm = { name: 'HMAC', hash: 'SHA-256' }
const hexDigest = /^[0-9a-f]{64}$/

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** Whether `signature`, in lower-case hexadecimal, was made with the secret over these bytes; in constant time. */
export const isHmacOf = async (
  signature: string,
  secret: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> => {
  if (!hexDigest.test(signature)) return false
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, [
    'verify',
  ])
  return crypto.subtle.verify('HMAC', key, bytesOf(signature), signed)
}
