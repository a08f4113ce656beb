import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
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

export const signingAlgorithm = 'ES256'

export interface IssuerKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK_EC_Public
}

/** The state folder holds no readable key: the sandbox has not been started there yet, or the file is broken. */
class IssuerKeyError extends Error {
  override readonly name = 'IssuerKeyError'
}

const PrivateJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
})

const keyFile = (stateDir: string) => join(stateDir, 'issuer-key.json')

const isErrno = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code

const parsePrivateJwk = (file: string, text: string): JWK_EC_Private => {
  try {
    return PrivateJwk.parse(JSON.parse(text))
  } catch {
    throw new IssuerKeyError(
      `${file} holds no ${signingAlgorithm} private key; delete it to have a new one made`,
    )
  }
}

const loadIssuerKey = async (stateDir: string): Promise<IssuerKey | null> => {
  const file = keyFile(stateDir)
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return null
    throw error
  })
  if (text === null) return null
  const { d, ...publicJwk } = parsePrivateJwk(file, text)
  const privateKey = await importJWK({ ...publicJwk, d }, signingAlgorithm)
  if (privateKey instanceof Uint8Array) throw new IssuerKeyError(`${file} holds a symmetric key`)
  return { kid: await calculateJwkThumbprint(publicJwk), privateKey, publicJwk }
}

const missingKey = (stateDir: string) =>
  new IssuerKeyError(`no signing key at ${keyFile(stateDir)}; run npm start once`)

/** Reads the key that `openIssuerKey` made in this folder. */
export const readIssuerKey = async (stateDir: string): Promise<IssuerKey> => {
  const key = await loadIssuerKey(stateDir)
  if (!key) throw missingKey(stateDir)
  return key
}

const createKeyFile = async (stateDir: string) => {
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true })
  await mkdir(stateDir, { recursive: true })
  const draft = `${keyFile(stateDir)}.${randomUUID()}`
  await writeFile(draft, JSON.stringify(await exportJWK(privateKey)), { mode: 0o600, flag: 'wx' })
  try {
    // A link appears whole or not at all and never replaces a file: of two starters both end with the same key.
    await link(draft, keyFile(stateDir))
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  } finally {
    await unlink(draft)
  }
}

/** Reads the key of a state folder and makes it first, readable by its owner alone, where there is none. */
export const openIssuerKey = async (stateDir: string): Promise<IssuerKey> => {
  const existing = await loadIssuerKey(stateDir)
  if (existing) return existing
  await createKeyFile(stateDir)
  return readIssuerKey(stateDir)
}
