import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '#contracts/errors.ts'
import { createTokenCache, createTokenVerifier, type TokenVerifier } from '#gateway/pipeline/verify-token.ts'
import { audience, issuer, makeKey, type SigningKey, seconds, sign, startKeySet } from './signed-tokens.ts'

const clockToleranceS = 5

const makeUnnamedKey = async (): Promise<SigningKey> => {
  const { kid: _, jwk, ...key } = await makeKey('ES256', '')
  const { kid: _unnamed, ...unnamed } = jwk
  return { ...key, jwk: unnamed }
}

describe('an access token', () => {
  const keySet = startKeySet()
  let key: SigningKey
  let tokens: TokenVerifier
  const verify = (token: string) => tokens.verify(token)

  beforeEach(async () => {
    key = await makeKey('ES256', crypto.randomUUID())
    keySet.published = [key.jwk]
    keySet.fetches = 0
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    tokens = createTokenVerifier({ issuer, audience, jwksUrl: keySet.url, clockToleranceS })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('is found in the cache without waiting once it is verified', async () => {
    const token = await sign(key)
    expect(tokens.peek(token)).toBeUndefined()
    const verified = await verify(token)
    expect(tokens.peek(token)).toBe(verified)
    expect(tokens.peek('no token')).toBe('malformed')
  })

  it('has no email address if there is no email claim', async () => {
    expect(await verify(await sign(key))).toMatchObject({
      actor: { accountId: 'acct_1', email: null, emailVerified: false },
    })
  })

  it.each(['bo\u212a@example.test', 'ann', 'ann@home', ' ann@example.test', `${'a'.repeat(250)}@b.test`])(
    'has no email address if the email claim is %j',
    async (email) => {
      const token = await sign(key, { email, email_verified: true })
      expect(await verify(token)).toMatchObject({ actor: { accountId: 'acct_1', email: null } })
    },
  )

  it.each([
    ['of a different issuer', { iss: 'https://elsewhere.test' }, 'issuer'],
    ['without an issuer', { iss: undefined }, 'issuer'],
    ['for a different audience', { aud: 'another' }, 'audience'],
    ['without an audience', { aud: undefined }, 'audience'],
    ['that is expired', { exp: 1_000_000 }, 'token_expired'],
    ['without an expiry', { exp: undefined }, 'malformed'],
    ['whose expiry is not a number', { exp: '9999999999' }, 'malformed'],
    ['without an account', { sub: undefined }, 'malformed'],
    ['with an empty account', { sub: '' }, 'malformed'],
    ['with control characters in its account', { sub: 'acct_\u0000' }, 'malformed'],
    ['with an unpaired surrogate in its account', { sub: 'acct_\ud800' }, 'malformed'],
    ['that is not valid yet', { nbf: seconds(Date.now()) + 3600 }, 'token_not_yet_valid'],
    ['whose start is not a number', { nbf: 'tomorrow' }, 'malformed'],
  ])('%s is rejected', async (_, claims, reason) => {
    expect(await verify(await sign(key, claims))).toBe(reason)
  })

  it('is rejected if it was signed by a different key with a published kid', async () => {
    const unpublished = await makeKey('ES256', key.kid ?? '')
    expect(await verify(await sign(unpublished))).toBe('signature')
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
      `${header}.${payload}.${signature}.${signature}`,
      token.replace('.', '..'),
      `${header}.${payload}.${signature?.slice(0, -1)}+`,
      'x'.repeat(9000),
    ]
    for (const form of malformed) expect(await verify(form)).toBe('malformed')
  })

  it('is cached until it expires', async () => {
    const token = await sign(key, { exp: seconds(Date.now()) + 30 })
    await verify(token)
    keySet.published = []
    expect(await verify(token)).toHaveProperty('actor')
    vi.setSystemTime(Date.now() + 36_000)
    expect(await verify(token)).toBe('token_expired')
  })

  it.each([-3_600_000, 3_600_000])('expires on time even if the clock jumps by %d ms', async (stepMs) => {
    const token = await sign(key, { exp: seconds(Date.now()) + 30 })
    await verify(token)
    vi.advanceTimersByTime(30_000)
    expect(await verify(token)).toHaveProperty('actor')
    vi.setSystemTime(Date.now() + stepMs)
    vi.advanceTimersByTime(6000)
    const cached = tokens.peek(token)
    expect(cached).toBe('token_expired')
  })

  it('is verified again one minute after the clock is set back', async () => {
    const verifySignature = vi.spyOn(crypto.subtle, 'verify')
    const token = await sign(key)
    const verified = await tokens.verify(token)
    vi.setSystemTime(Date.now() - 3_600_000)
    vi.advanceTimersByTime(59_000)
    expect(tokens.peek(token)).toBe(verified)
    vi.advanceTimersByTime(2000)
    await verify(token)
    expect(verifySignature).toHaveBeenCalledTimes(2)
  })

  it('has its signature verified again after a minute', async () => {
    const verifySignature = vi.spyOn(crypto.subtle, 'verify')
    const token = await sign(key)
    await verify(token)
    vi.advanceTimersByTime(59_000)
    await verify(token)
    expect(verifySignature).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(2000)
    await verify(token)
    expect(verifySignature).toHaveBeenCalledTimes(2)
  })

  it('is rejected if only its last characters match a cached token', async () => {
    const token = await sign(key)
    await verify(token)
    const [header, , signature] = token.split('.')
    const forged = [header, Buffer.from('{"sub":"acct_2"}').toString('base64url'), signature].join('.')
    expect(tokens.peek(forged)).toBeUndefined()
    expect(await verify(forged)).toBe('signature')
    expect(await verify(token)).toMatchObject({ actor: { accountId: 'acct_1' } })
  })

  it('is verified with a key published after the last fetch', async () => {
    await verify(await sign(key))
    const next = await makeKey('EdDSA', 'the-next-key')
    keySet.published = [key.jwk, next.jwk]
    await expect
      .poll(async () => verify(await sign(next)), { timeout: 8000, interval: 500 })
      .toMatchObject({ actor: { accountId: 'acct_1' } })
  })

  it('does not cause a fetch for every request if its key is unknown', async () => {
    await verify(await sign(key))
    const unpublished = await makeKey('ES256', 'unknown')
    for (let round = 0; round < 20; round += 1)
      expect(await verify(await sign(unpublished))).toBe('unknown_key')
    expect(keySet.fetches).toBeLessThanOrEqual(2)
  })

  it('is rejected once its key has left the key set, even if it was cached', async () => {
    const token = await sign(key)
    expect(await verify(token)).toHaveProperty('actor')
    const next = await makeKey('ES256', 'the-next-key')
    keySet.published = [next.jwk]
    await expect
      .poll(async () => verify(await sign(next)), { timeout: 8000, interval: 500 })
      .toMatchObject({ actor: { accountId: 'acct_1' } })
    expect(await verify(token)).toBe('unknown_key')
  })

  it('may have an account id of up to 128 characters', async () => {
    const sub = '\u{1F3B5}'.repeat(128)
    expect(await verify(await sign(key, { sub }))).toMatchObject({ actor: { accountId: sub } })
    expect(await verify(await sign(key, { sub: `${sub}x` }))).toBe('malformed')
  })

  it('without a kid is verified with any published key, including new ones', async () => {
    const [first, second, third] = [await makeUnnamedKey(), await makeUnnamedKey(), await makeUnnamedKey()]
    keySet.published = [first.jwk, second.jwk]
    for (const signer of [first, second])
      expect(await verify(await sign(signer))).toMatchObject({ actor: { accountId: 'acct_1' } })
    expect(await verify(await sign(third))).toBe('signature')
    keySet.published = [third.jwk]
    await expect
      .poll(async () => verify(await sign(third)), { timeout: 8000, interval: 500 })
      .toMatchObject({ actor: { accountId: 'acct_1' } })
    expect(await verify(await sign(first, { jti: 'another' }))).toBe('signature')
  })

  it('causes authentication_unavailable while the key set cannot be fetched', async () => {
    const offline = createTokenVerifier({
      issuer,
      audience,
      jwksUrl: 'http://127.0.0.1:1/jwks.json',
      clockToleranceS,
    })
    await expect(offline.verify(await sign(key))).rejects.toThrow(ApiError)
    await expect(offline.verify(await sign(key))).rejects.toMatchObject({
      code: 'authentication_unavailable',
      status: 503,
    })
  })
})

const tokenOf = (index: number, length: number) => ({ token: String(index).padStart(length, 'x') })

describe('the cache of verified tokens', () => {
  it.each([50, 1000, 12_000])('holds at most two generations of tokens with %i characters', (length) => {
    const limits = { maxTokens: 100, maxLength: 100_000 }
    const cache = createTokenCache<{ token: string }>(limits)
    const all = Array.from({ length: 1000 }, (_, index) => tokenOf(index, length))
    for (const cached of all) cache.set(cached)
    const kept = all.filter(({ token }) => cache.get(token) !== undefined)
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThanOrEqual(2 * limits.maxTokens)
    expect(kept.length * length).toBeLessThanOrEqual(2 * (limits.maxLength + length))
  })

  it('keeps a token that is in use while it evicts others', () => {
    const cache = createTokenCache<{ token: string }>({ maxTokens: 10, maxLength: 100_000 })
    const used = tokenOf(1_000_000, 100)
    cache.set(used)
    for (let index = 0; index < 1000; index++) {
      cache.set(tokenOf(index, 100))
      expect(cache.get(used.token)).toBe(used)
    }
  })

  it('counts a token only once even if it is verified again', () => {
    const cache = createTokenCache<{ token: string }>({ maxTokens: 10, maxLength: 1000 })
    const other = tokenOf(1, 100)
    cache.set(other)
    for (let round = 0; round < 100; round++) cache.set(tokenOf(2, 100))
    expect(cache.get(other.token)).toBe(other)
  })

  it('does not confuse tokens that end with the same characters', () => {
    const cache = createTokenCache<{ token: string }>({ maxTokens: 10, maxLength: 1000 })
    cache.set(tokenOf(1, 100))
    expect(cache.get(`y${tokenOf(1, 99).token}`)).toBeUndefined()
  })
})
