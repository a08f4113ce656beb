import { timingSafeEqual } from 'node:crypto'
import { deriveKey } from './derive-key.ts'

// A PHC string: `$scrypt$ln=14,r=8,p=1$<salt>$<key>`, both in base64 without padding.
const phc = /^\$scrypt\$ln=(1\d),r=([1-9]|1[0-6]),p=([1-4])\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43,86})$/

/** Compares a code with its slow hash in constant time. Throws if the hash has an unknown format. */
export const matchesHash = async (code: string, hash: string) => {
  const [, ln, r, p, salt, expected] = phc.exec(hash) ?? []
  if (salt === undefined || expected === undefined)
    throw new TypeError('the stored hash of an access code has an unknown format')
  const key = Buffer.from(expected, 'base64')
  const [N, blockSize] = [2 ** Number(ln), Number(r)]
  const cost = { N, r: blockSize, p: Number(p), maxmem: 256 * N * blockSize }
  return timingSafeEqual(await deriveKey(code, Buffer.from(salt, 'base64'), key.length, cost), key)
}
