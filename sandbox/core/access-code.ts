import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'

const logCost = 14
const blockSize = 8
const parallelism = 1
const options: ScryptOptions = { N: 2 ** logCost, r: blockSize, p: parallelism }

const derive = (code: string, salt: Buffer) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(code, salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** A slow, salted hash of an access code as a PHC string: `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`. */
export const hashAccessCode = async (code: string) => {
  const salt = randomBytes(16)
  const parameters = `ln=${logCost},r=${blockSize},p=${parallelism}`
  return `$scrypt$${parameters}$${unpadded(salt)}$${unpadded(await derive(code, salt))}`
}
