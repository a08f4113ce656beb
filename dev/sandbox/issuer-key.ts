import { join } from 'node:path'
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK_EC_Private,
  type JWK_EC_Public,
} from 'jose'
import * as z from 'zod'
import { readOrCreate, readStoredText } from './stored-file.ts'

export const signingAlgorithm = 'ES256'

export interface IssuerKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK_EC_Public
}

const PrivateJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
})

const keyFile = (stateDir: string) => join(stateDir, 'issuer-key.json')

const describeInvalidKey = (file: string) =>
  `${file} is not an ${signingAlgorithm} private key: delete the file and run npm start to create a new key`

const parsePrivateJwk = (file: string, text: string): JWK_EC_Private => {
  try {
    return PrivateJwk.parse(JSON.parse(text))
  } catch {
    throw new Error(describeInvalidKey(file))
  }
}

const importKey = async (file: string, text: string): Promise<IssuerKey> => {
  const { d, ...publicJwk } = parsePrivateJwk(file, text)
  const privateKey = await importJWK({ ...publicJwk, d }, signingAlgorithm)
  // Narrows the type: `importJWK` returns bytes only for a symmetric key, which the schema rejects.
  if (privateKey instanceof Uint8Array) throw new Error(describeInvalidKey(file))
  return { kid: await calculateJwkThumbprint(publicJwk), privateKey, publicJwk }
}

export const readIssuerKey = async (stateDir: string): Promise<IssuerKey> => {
  const file = keyFile(stateDir)
  const text = await readStoredText(file)
  if (text === null)
    throw new Error(
      `npm start is not running in this folder: there is no signing key at ${file} yet. Run npm start in another terminal, then run this command again.`,
    )
  return importKey(file, text)
}

const createPrivateJwk = async () => {
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true })
  return JSON.stringify(await exportJWK(privateKey))
}

export const openIssuerKey = async (stateDir: string): Promise<IssuerKey> => {
  const file = keyFile(stateDir)
  return importKey(file, await readOrCreate(file, createPrivateJwk))
}
