import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

const deriveKey = (code: string, salt: Buffer, length: number, options: ScryptOptions) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(code, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)))
  })

// Same cost as in the core's hashes: timing must not reveal which side created the link.
const logCost = 14
const cost = { N: 2 ** logCost, r: 8, p: 1 }
const saltBytes = 16
const keyBytes = 32

const encodeUnpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

export const hashAccessCode = async (code: string) => {
  const salt = randomBytes(saltBytes)
  const key = await deriveKey(code, salt, keyBytes, cost)
  return `$scrypt$ln=${logCost},r=${cost.r},p=${cost.p}$${encodeUnpadded(salt)}$${encodeUnpadded(key)}`
}

// PHC string: `$scrypt$ln=14,r=8,p=1$<salt>$<key>`, base64 without padding.
const phc = /^\$scrypt\$ln=(1\d),r=([1-9]|1[0-6]),p=([1-4])\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43,86})$/

export const matchesHash = async (code: string, hash: string) => {
  const [, ln, r, p, salt, expected] = phc.exec(hash) ?? []
  if (salt === undefined || expected === undefined)
    throw new TypeError('the stored hash of an access code has an unknown format')
  const key = Buffer.from(expected, 'base64')
  const [N, blockSize] = [2 ** Number(ln), Number(r)]
  const cost = { N, r: blockSize, p: Number(p), maxmem: 256 * N * blockSize }
  return timingSafeEqual(await deriveKey(code, Buffer.from(salt, 'base64'), key.length, cost), key)
}
