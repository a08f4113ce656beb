import { randomBytes } from 'node:crypto'
import { deriveKey } from './derive-key.ts'

// The cost of the hashes that the core writes, so that a code takes equally long to check whichever side created its link.
const logCost = 14
const cost = { N: 2 ** logCost, r: 8, p: 1 }
const saltBytes = 16
const keyBytes = 32

const encodeUnpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** Hashes an access code with a new salt, as a PHC string. */
export const hashAccessCode = async (code: string) => {
  const salt = randomBytes(saltBytes)
  const key = await deriveKey(code, salt, keyBytes, cost)
  return `$scrypt$ln=${logCost},r=${cost.r},p=${cost.p}$${encodeUnpadded(salt)}$${encodeUnpadded(key)}`
}
