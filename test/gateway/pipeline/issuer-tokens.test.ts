import { type CryptoKey, exportJWK, exportSPKI, importJWK, type JWK } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTokenVerifier, type TokenVerifier } from '#gateway/pipeline/verify-token.ts'
import { audience, issuer, makeKey, type SigningKey, seconds, sign, startKeySet } from './signed-tokens.ts'

const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
const encode = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url')

const withoutAlgorithm = ({ alg: _, ...jwk }: JWK): JWK => jwk

describe("an issuer's token", () => {
  const keySet = startKeySet()
  let key: SigningKey
  let tokens: TokenVerifier
  const createVerifier = (clockToleranceS = 5) =>
    createTokenVerifier({ issuer, audience, jwksUrl: keySet.url, clockToleranceS })
  const verify = (token: string) => tokens.verify(token)

  beforeEach(async () => {
    key = await makeKey('ES256', crypto.randomUUID())
    keySet.published = [key.jwk]
    vi.useFakeTimers({ toFake: ['Date'] })
    tokens = createVerifier()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each(algorithms)('signed with %s identifies its account', async (alg) => {
    const signer = await makeKey(alg, `kid-${alg}`)
    keySet.published = [signer.jwk]
    const token = await sign(signer, { email: 'Ann@Example.TEST', email_verified: true })
    expect(await verify(token)).toMatchObject({
      actor: { accountId: 'acct_1', email: 'ann@example.test', emailVerified: true },
    })
  })

  it('is rejected if its algorithm does not match its key', async () => {
    const rsa = await makeKey('RS256', 'rsa')
    const unbound = await makeKey('ES256', 'unbound')
    keySet.published = [rsa.jwk, key.jwk, withoutAlgorithm(unbound.jwk)]
    const { privateKey } = rsa
    const resigned = await importJWK({ ...(await exportJWK(privateKey)), alg: 'PS256' }, 'PS256')
    const asPs256 = await sign({ alg: 'PS256', kid: 'rsa', privateKey: resigned as CryptoKey })
    expect(await verify(asPs256)).toBe('unknown_key')
    const [, payload, signature] = (await sign(key)).split('.')
    for (const [alg, kid, reason] of [
      ['PS256', key.kid, 'unknown_key'],
      ['ES384', key.kid, 'unknown_key'],
      ['ES384', 'unbound', 'unknown_key'],
      ['EdDSA', 'unbound', 'unknown_key'],
      ['HS256', key.kid, 'algorithm_not_allowed'],
      ['HS256', 'rsa', 'algorithm_not_allowed'],
      ['ES256K', key.kid, 'algorithm_not_allowed'],
      ['Ed448', key.kid, 'algorithm_not_allowed'],
      ['none', key.kid, 'algorithm_not_allowed'],
    ])
      expect(await verify(`${encode({ alg, kid })}.${payload}.${signature}`), alg).toBe(reason)
  })

  it.each(['HS256', 'HS384', 'HS512'])(
    'signed with %s is rejected, even if the secret is a published key',
    async (alg) => {
      const rsa = await makeKey('RS256', 'rsa')
      keySet.published = [withoutAlgorithm(rsa.jwk)]
      const publicKey = await importJWK(rsa.jwk, 'RS256', { extractable: true })
      const secrets = [await exportSPKI(publicKey as CryptoKey), JSON.stringify(rsa.jwk)]
      for (const secret of secrets) {
        const signer = { alg, kid: 'rsa', privateKey: new TextEncoder().encode(secret.padEnd(64)) }
        expect(await verify(await sign(signer))).toBe('algorithm_not_allowed')
      }
    },
  )

  it('is rejected without a signature', async () => {
    const [header, payload] = (await sign(key)).split('.')
    expect(await verify(`${header}.${payload}.`)).toBe('signature')
    for (const alg of ['none', 'None', 'NONE', ''])
      expect(await verify(`${encode({ alg })}.${payload}.`)).not.toHaveProperty('actor')
    expect(await verify(`${encode({ alg: 'none' })}.${payload}.`)).toBe('algorithm_not_allowed')
  })

  it.each([0, 5, 60])('is accepted for up to %i s before and after its lifetime', async (toleranceS) => {
    const verifier = createVerifier(toleranceS)
    const now = seconds(Date.now())
    const [nbf, exp] = [now + 100, now + 200]
    const token = await sign(key, { iat: nbf, nbf, exp })
    vi.setSystemTime((nbf - toleranceS) * 1000 - 1)
    expect(await verifier.verify(token)).toBe('token_not_yet_valid')
    vi.setSystemTime((nbf - toleranceS) * 1000)
    const verified = await verifier.verify(token)
    expect(verified).toMatchObject({ actor: { accountId: 'acct_1' } })
    const isExpired = () => typeof verified === 'string' || verified.isExpired()
    const verifyAnew = () => createVerifier(toleranceS).verify(token)

    vi.setSystemTime((exp + toleranceS) * 1000 - 1)
    for (const one of [await verifier.verify(token), await verifyAnew()]) expect(one).toHaveProperty('actor')
    expect(verifier.peek(token)).toHaveProperty('actor')
    expect(isExpired()).toBe(false)
    vi.setSystemTime((exp + toleranceS) * 1000)
    for (const one of [await verifier.verify(token), await verifyAnew()]) expect(one).toBe('token_expired')
    expect(verifier.peek(token)).toBe('token_expired')
    expect(isExpired()).toBe(true)
  })

  it("is accepted even if the issuer's clock is ahead", async () => {
    for (const iat of [1, 5, 6, 3600]) {
      const token = await sign(key, { iat: seconds(Date.now()) + iat })
      expect(await verify(token)).toHaveProperty('actor')
    }
  })

  it('is accepted at any length that fits in the request headers', async () => {
    for (const length of [5000, 9000, 11_500]) {
      const token = await sign(key, { groups: 'x'.repeat(length) })
      expect(await verify(token)).toHaveProperty('actor')
      expect(tokens.peek(token)).toHaveProperty('actor')
    }
  })
})
