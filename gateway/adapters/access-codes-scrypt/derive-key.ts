import { type ScryptOptions, scrypt } from 'node:crypto'

/** Derives a key of `length` bytes with scrypt (RFC 7914), outside of the event loop. */
export const deriveKey = (code: string, salt: Buffer, length: number, options: ScryptOptions) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(code, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
