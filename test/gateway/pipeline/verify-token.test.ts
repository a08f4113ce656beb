import { createServer, type Server } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '#contracts/errors.ts'
import { createTokenVerifier, type TokenVerifier } from '#gateway/pipeline/verify-token.ts'

const issuer = 'https://issuer.example.test'
const audience = 'workspace'
const algorithms = ['RS256', 'ES256', 'EdDSA'] as const

interface SigningKey {
  readonly alg: string
  readonly kid?: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

const makeKey = async (alg: string, kid: string): Promise<SigningKey> => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg } }
}

const makeUnnamedKey = async (): Promise<SigningKey> => {
  const { kid: _, jwk, ...key } = await makeKey('ES256', '')
  const { kid: _unnamed, ...unnamed } = jwk
  return { ...key, jwk: unnamed }
}

const seconds = (date: number) => Math.floor(date / 1000)

const sign = ({ alg, kid, privateKey }: SigningKey, claims: Record<string, unknown> = {}) =>
  new SignJWT({ iss: issuer, aud: audience, sub: 'acct_1', exp: seconds(Date.now()) + 3600, ...claims })
    .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) })
    .sign(privateKey)

describe('an access token', () => {
  let published: JWK[] = []
  let fetches = 0
  let server: Server
  let jwksUrl: string
  let key: SigningKey
  let tokens: TokenVerifier
  const verify = (token: string) => tokens.verify(token)

  beforeAll(async () => {
    server = createServer((_request, response) => {
      fetches += 1
      response.end(JSON.stringify({ keys: published }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    jwksUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/jwks.json`
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  beforeEach(async () => {
    key = await makeKey('ES256', crypto.randomUUID())
    published = [key.jwk]
    fetches = 0
    vi.useFakeTimers({ toFake: ['Date'] })
    tokens = createTokenVerifier({ issuer, audience, jwksUrl })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it.each(algorithms)('signed with %s names its account', async (alg) => {
    const signer = await makeKey(alg, `kid-${alg}`)
    published = [signer.jwk]
    const token = await sign(signer, { email: 'Ann@Example.TEST', email_verified: true })
    expect((await verify(token))?.actor).toEqual({
      accountId: 'acct_1',
      email: 'ann@example.test',
      emailVerified: true,
    })
  })

  it('is known without waiting once it was verified', async () => {
    const token = await sign(key)
    expect(tokens.peek(token)).toBeUndefined()
    const verified = await verify(token)
    expect(tokens.peek(token)).toBe(verified)
    expect(tokens.peek('no token')).toBeNull()
  })

  it('without an e-mail claim has none', async () => {
    expect((await verify(await sign(key)))?.actor).toEqual({
      accountId: 'acct_1',
      email: null,
      emailVerified: false,
    })
  })

  it.each(['bo\u212a@example.test', 'ann', 'ann@home', ' ann@example.test', `${'a'.repeat(250)}@b.test`])(
    'with the e-mail claim %j has no address',
    async (email) => {
      const token = await sign(key, { email, email_verified: true })
      expect((await verify(token))?.actor).toMatchObject({ accountId: 'acct_1', email: null })
    },
  )

  it.each([
    ['of another issuer', { iss: 'https://elsewhere.test' }],
    ['for another audience', { aud: 'another' }],
    ['that is expired', { exp: 1_000_000 }],
    ['without an expiry', { exp: undefined }],
    ['without an account', { sub: undefined }],
    ['with an empty account', { sub: '' }],
    ['with control characters in its account', { sub: 'acct_\u0000' }],
    ['with half a character in its account', { sub: 'acct_\ud800' }],
    ['that is not valid yet', { nbf: seconds(Date.now()) + 3600 }],
  ])('%s is rejected', async (_, claims) => {
    expect(await verify(await sign(key, claims))).toBeNull()
  })

  it('signed by an unpublished key is rejected', async () => {
    const unpublished = await makeKey('ES256', key.kid ?? '')
    expect(await verify(await sign(unpublished))).toBeNull()
  })

  it.each(['HS256', 'PS256', 'ES384', 'none'])('is rejected with the algorithm %s', async (alg) => {
    const [, payload, signature] = (await sign(key)).split('.')
    const header = btoa(JSON.stringify({ alg, kid: key.kid })).replaceAll('=', '')
    expect(await verify(`${header}.${payload}.${signature}`)).toBeNull()
  })

  it('is rejected if it is not three base64url segments', async () => {
    const token = await sign(key)
    const [header, payload, signature] = token.split('.')
    const malformed = [
      `${token}=`,
      `${token}.`,
      `.${token}`,
      ` ${token}`,
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature}.${signature}`,
      token.replace('.', '..'),
      `${header}.${payload}.${signature?.slice(0, -1)}+`,
      'x'.repeat(9000),
    ]
    for (const form of malformed) expect(await verify(form)).toBeNull()
  })

  it('is cached until it expires', async () => {
    const token = await sign(key, { exp: seconds(Date.now()) + 30 })
    await verify(token)
    published = []
    expect(await verify(token)).not.toBeNull()
    vi.setSystemTime(Date.now() + 31_000)
    expect(await verify(token)).toBeNull()
  })

  it('has its signature verified again after a minute', async () => {
    const verifySignature = vi.spyOn(crypto.subtle, 'verify')
    const token = await sign(key)
    await verify(token)
    vi.setSystemTime(Date.now() + 59_000)
    await verify(token)
    expect(verifySignature).toHaveBeenCalledTimes(1)
    vi.setSystemTime(Date.now() + 2000)
    await verify(token)
    expect(verifySignature).toHaveBeenCalledTimes(2)
  })

  it('is rejected if only its end is that of a cached token', async () => {
    const token = await sign(key)
    await verify(token)
    const [header, , signature] = token.split('.')
    const forged = [header, Buffer.from('{"sub":"acct_2"}').toString('base64url'), signature].join('.')
    expect(tokens.peek(forged)).toBeUndefined()
    expect(await verify(forged)).toBeNull()
    expect(await verify(token)).toMatchObject({ actor: { accountId: 'acct_1' } })
  })

  it('reports its expiry by the verifier’s clock', async () => {
    const exp = seconds(Date.now()) + 30
    const token = await sign(key, { exp })
    const verified = [await verify(token), await verify(token)]
    vi.setSystemTime(exp * 1000 - 1)
    for (const one of verified) expect(one?.isExpired()).toBe(false)
    expect(await verify(token)).not.toBeNull()
    vi.setSystemTime(exp * 1000)
    for (const one of verified) expect(one?.isExpired()).toBe(true)
    expect(await verify(token)).toBeNull()
  })

  it('is verified with a key that was published after the last fetch', async () => {
    await verify(await sign(key))
    const next = await makeKey('EdDSA', 'the-next-key')
    published = [key.jwk, next.jwk]
    await expect
      .poll(async () => verify(await sign(next)), { timeout: 8000, interval: 500 })
      .toMatchObject({ actor: { accountId: 'acct_1' } })
  })

  it('does not cause a fetch each time if its key is unknown', async () => {
    await verify(await sign(key))
    const unpublished = await makeKey('ES256', 'unknown')
    for (let round = 0; round < 20; round += 1) expect(await verify(await sign(unpublished))).toBeNull()
    expect(fetches).toBeLessThanOrEqual(2)
  })

  it('is evicted when its key leaves the key set', async () => {
    const token = await sign(key)
    expect(await verify(token)).not.toBeNull()
    const next = await makeKey('ES256', 'the-next-key')
    published = [next.jwk]
    await expect
      .poll(async () => verify(await sign(next)), { timeout: 8000, interval: 500 })
      .toMatchObject({ actor: { accountId: 'acct_1' } })
    expect(await verify(token)).toBeNull()
  })

  it('can have an account id of 128 characters', async () => {
    const sub = '\u{1F3B5}'.repeat(128)
    expect(await verify(await sign(key, { sub }))).toMatchObject({ actor: { accountId: sub } })
    expect(await verify(await sign(key, { sub: `${sub}x` }))).toBeNull()
  })

  it('without a kid is verified with any published key, including new ones', async () => {
    const [first, second, third] = [await makeUnnamedKey(), await makeUnnamedKey(), await makeUnnamedKey()]
    published = [first.jwk, second.jwk]
    for (const signer of [first, second])
      expect(await verify(await sign(signer))).toMatchObject({ actor: { accountId: 'acct_1' } })
    expect(await verify(await sign(third))).toBeNull()
    published = [third.jwk]
    await expect
      .poll(async () => verify(await sign(third)), { timeout: 8000, interval: 500 })
      .toMatchObject({ actor: { accountId: 'acct_1' } })
    expect(await verify(await sign(first, { jti: 'another' }))).toBeNull()
  })

  it('throws authentication_unavailable while the key set cannot be fetched', async () => {
    const offline = createTokenVerifier({ issuer, audience, jwksUrl: 'http://127.0.0.1:1/jwks.json' })
    await expect(offline.verify(await sign(key))).rejects.toThrow(ApiError)
    await expect(offline.verify(await sign(key))).rejects.toMatchObject({
      code: 'authentication_unavailable',
      status: 503,
    })
  })
})
