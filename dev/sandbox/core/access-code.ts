import { createHmac, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

const logCost = 14
const blockSize = 8
const parallelism = 1
const options: ScryptOptions = { N: 2 ** logCost, r: blockSize, p: parallelism }

const derive = (code: string, salt: Buffer) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(code, salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })

const encodeUnpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

const prefix = `$scrypt$ln=${logCost},r=${blockSize},p=${parallelism}$`

/** Creates a slow, salted hash of an access code as a PHC string: `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`. */
export const hashAccessCode = async (code: string) => {
  const salt = randomBytes(16)
  return `${prefix}${encodeUnpadded(salt)}$${encodeUnpadded(await derive(code, salt))}`
}

const isAccessCode = async (code: string, hash: string) => {
  if (!hash.startsWith(prefix)) throw new Error(`unsupported access code hash: expected ${prefix}`)
  const [salt = '', key = ''] = hash.slice(prefix.length).split('$')
  return timingSafeEqual(await derive(code, Buffer.from(salt, 'base64')), Buffer.from(key, 'base64'))
}

const createMemory = (ttlMs: number) => {
  // All keys last equally long, so they expire in insertion order.
  const endTimes = new Map<string, number>()
  return {
    has: (key: string) => (endTimes.get(key) ?? 0) > Date.now(),
    add(key: string) {
      const now = Date.now()
      for (const [known, endsAt] of endTimes) {
        if (endsAt > now) break
        endTimes.delete(known)
      }
      endTimes.delete(key)
      endTimes.set(key, now + ttlMs)
    },
  }
}

/** Remembers for 24 hours which clients sent the correct code. */
export const createAdmissions = () => createMemory(24 * 60 * 60 * 1000)

/** Verifies access codes. A correct code is cached for five minutes, because hashing is slow by design. */
export const createAccessCodeCheck = () => {
  const secret = randomBytes(32)
  const verified = createMemory(5 * 60 * 1000)
  const createCacheKey = (code: string, hash: string) =>
    createHmac('sha256', secret).update(`${hash} ${code}`).digest('base64')
  return {
    isKnown: (code: string, hash: string) => verified.has(createCacheKey(code, hash)),
    async verify(code: string, hash: string) {
      const isCorrect = await isAccessCode(code, hash)
      if (isCorrect) verified.add(createCacheKey(code, hash))
      return isCorrect
    },
  }
}
