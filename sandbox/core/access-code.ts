import { createHmac, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

const logCost = 14
const blockSize = 8
const parallelism = 1
const options: ScryptOptions = { N: 2 ** logCost, r: blockSize, p: parallelism }

const derive = (code: string, salt: Buffer) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(code, salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

const start = `$scrypt$ln=${logCost},r=${blockSize},p=${parallelism}$`

/** A slow, salted hash of an access code as a PHC string: `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`. */
export const hashAccessCode = async (code: string) => {
  const salt = randomBytes(16)
  return `${start}${unpadded(salt)}$${unpadded(await derive(code, salt))}`
}

/** Whether a code is the one that was hashed, told in the same time whichever it is. */
const isAccessCode = async (code: string, hash: string) => {
  if (!hash.startsWith(start)) throw new Error('an access code was hashed in an unknown way')
  const [salt = '', key = ''] = hash.slice(start.length).split('$')
  return timingSafeEqual(await derive(code, Buffer.from(salt, 'base64')), Buffer.from(key, 'base64'))
}

const fiveMinutes = 5 * 60 * 1000

/** Verifies access codes; a right one is known again for five minutes, for its hash is slow on purpose. */
export const createAccessCodeCheck = () => {
  const secret = randomBytes(32)
  const known = new Map<string, number>()
  const traceOf = (code: string, hash: string) =>
    createHmac('sha256', secret).update(`${hash} ${code}`).digest('base64')

  const isKnown = (code: string, hash: string) => (known.get(traceOf(code, hash)) ?? 0) > Date.now()
  const verify = async (code: string, hash: string) => {
    const right = await isAccessCode(code, hash)
    for (const [trace, until] of known) if (until <= Date.now()) known.delete(trace)
    if (right) known.set(traceOf(code, hash), Date.now() + fiveMinutes)
    return right
  }
  return { isKnown, verify }
}
