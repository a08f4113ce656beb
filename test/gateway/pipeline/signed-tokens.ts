import { createServer } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll } from 'vitest'

export const issuer = 'https://issuer.example.test'
export const audience = 'workspace'

export interface SigningKey {
  readonly alg: string
  readonly kid?: string
  readonly privateKey: CryptoKey | Uint8Array
  readonly jwk: JWK
}

export const makeKey = async (alg: string, kid: string): Promise<SigningKey> => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg } }
}

export const seconds = (date: number) => Math.floor(date / 1000)

/** Signs a token that is valid for an hour, unless `claims` say otherwise. */
export const sign = (
  { alg, kid, privateKey }: Pick<SigningKey, 'alg' | 'kid' | 'privateKey'>,
  claims: Record<string, unknown> = {},
) =>
  new SignJWT({ iss: issuer, aud: audience, sub: 'acct_1', exp: seconds(Date.now()) + 3600, ...claims })
    .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) })
    .sign(privateKey)

/** Serves an issuer's key set over HTTP until the test file ends. A test can replace the keys. */
export const startKeySet = () => {
  const keySet = { published: [] as readonly JWK[], fetches: 0, url: '' }
  const server = createServer((_request, response) => {
    keySet.fetches += 1
    response.end(JSON.stringify({ keys: keySet.published }))
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    keySet.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/jwks.json`
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  return keySet
}
