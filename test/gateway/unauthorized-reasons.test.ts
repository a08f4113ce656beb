import { beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { platforms } from '#test/support/gateway-options.ts'
import {
  audience,
  issuer,
  makeKey,
  type SigningKey,
  seconds,
  sign,
  startKeySet,
} from './pipeline/signed-tokens.ts'

const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
const path = '/v1/libraries'

describe.each(platforms)('a gateway on %s', (platform) => {
  const keySet = startKeySet()
  let keys: SigningKey[]
  // Must come before `startTestGateway`, because the gateway fetches the keys when it starts.
  beforeAll(async () => {
    keys = await Promise.all(algorithms.map((alg) => makeKey(alg, `key-${alg}`)))
    keySet.published = keys.map(({ jwk }) => jwk)
  })
  const gateway = startTestGateway({
    control: 'fixed',
    platform,
    environment: {
      AUTH_ISSUER: issuer,
      AUTH_AUDIENCE: audience,
      AUTH_CLOCK_TOLERANCE_S: '60',
      get AUTH_JWKS_URL() {
        return keySet.url
      },
    },
  })
  const keyOf = (alg: string) => {
    const key = keys.find((one) => one.alg === alg)
    if (!key) throw new Error(`there is no key for ${alg}`)
    return key
  }
  const now = () => seconds(Date.now())

  const requestWith = (authorization: string | undefined, target = path) =>
    gateway.request('GET', target, authorization === undefined ? {} : { headers: { authorization } })
  const findLine = async (requestId: string | null) => {
    const find = () => gateway.log.forRequest(requestId ?? '').find(({ message }) => message === 'request')
    await expect.poll(find).toBeDefined()
    return find()?.fields
  }

  it.each(algorithms)('accepts a token signed with %s', async (alg) => {
    const token = await sign(keyOf(alg), { sub: `acct_${alg}` })
    for (let round = 0; round < 2; round++)
      expect(await requestWith(`Bearer ${token}`)).toMatchObject({ status: 200, body: { records: [] } })
  })

  it('accepts a token of 12 kB', async () => {
    const token = await sign(keyOf('ES384'), { groups: 'x'.repeat(9000 - 170) })
    expect(token.length).toBeGreaterThan(12_000)
    expect(await requestWith(`Bearer ${token}`)).toMatchObject({ status: 200 })
  })

  it('accepts a token slightly before and after its lifetime, for reads and writes', async () => {
    for (const claims of [{ exp: now() - 20 }, { nbf: now() + 20, iat: now() + 20 }]) {
      const token = await sign(keyOf('PS256'), { sub: `acct_${crypto.randomUUID()}`, ...claims })
      expect(await gateway.request('GET', path, { token })).toMatchObject({ status: 200 })
      const created = await gateway.request('POST', path, { token, body: { name: 'Demos' } })
      expect(created).toMatchObject({ status: 201 })
    }
  })

  it('logs why a request got 401, but does not say why in the response', async () => {
    const key = keyOf('ES256')
    const unpublished = await makeKey('ES256', 'unpublished')
    const impostor = await makeKey('ES256', key.kid ?? '')
    const hs256 = { alg: 'HS256', kid: key.kid ?? '', privateKey: new Uint8Array(64) }
    const cases = new Map<string, (string | undefined)[]>([
      ['token_missing', [undefined]],
      [
        'malformed',
        ['Bearer nonsense', 'Basic YTpi', 'Bearer a.b.c', `Bearer ${await sign(key, { sub: '' })}`],
      ],
      ['algorithm_not_allowed', [`Bearer ${await sign(hs256)}`]],
      ['unknown_key', [`Bearer ${await sign(unpublished)}`]],
      ['signature', [`Bearer ${await sign(impostor)}`]],
      ['issuer', [`Bearer ${await sign(key, { iss: 'https://elsewhere.test' })}`]],
      ['audience', [`Bearer ${await sign(key, { aud: 'another' })}`]],
      ['token_not_yet_valid', [`Bearer ${await sign(key, { nbf: now() + 600 })}`]],
      ['token_expired', [`Bearer ${await sign(key, { exp: now() - 600 })}`]],
    ])
    const responses = new Set<string>()
    for (const [reason, sent] of cases)
      for (const authorization of sent) {
        const { status, headers, body } = await requestWith(authorization)
        const { 'x-request-id': requestId, date: _, ...compared } = Object.fromEntries(headers)
        responses.add(JSON.stringify([status, compared, body]))
        const line = await findLine(requestId ?? null)
        expect(line).toMatchObject({ status: 401, error: 'unauthorized', unauthorizedReason: reason })
      }
    expect(responses.size).toBe(1)
    expect([...responses][0]).toContain('"error":"unauthorized"')
  })

  it('logs why a request for an internal route got 401', async () => {
    const internal = '/v1/internal/media-dispatches/drain-eligible'
    for (const [authorization, reason] of [
      [undefined, 'token_missing'],
      ['Bearer', 'malformed'],
      [`Bearer ${await sign(keyOf('ES256'))}`, 'internal_token'],
    ] as const) {
      const { status, headers } = await requestWith(authorization, internal)
      expect(status).toBe(401)
      expect(await findLine(headers.get('x-request-id'))).toMatchObject({ unauthorizedReason: reason })
    }
  })

  it.runIf(platform === 'workerd')('logs why a request for an admin page got 401', async () => {
    const { status, headers } = await requestWith('Bearer nonsense', '/metrics')
    expect(status).toBe(401)
    const line = await findLine(headers.get('x-request-id'))
    expect(line).toMatchObject({ status: 401, unauthorizedReason: 'internal_token' })
  })

  it('logs no reason if a request gets no 401, even if its optional token is invalid', async () => {
    const served = await requestWith(`Bearer ${await sign(keyOf('RS256'))}`)
    expect(await findLine(served.headers.get('x-request-id'))).not.toHaveProperty('unauthorizedReason')
    const link = await requestWith('Bearer nonsense', '/v1/pack-links/none')
    const line = await findLine(link.headers.get('x-request-id'))
    expect(line).not.toMatchObject({ status: 401 })
    expect(line).not.toHaveProperty('unauthorizedReason')
  })
})

describe('a gateway that has just started', () => {
  const keySet = startKeySet()
  startTestGateway({
    control: 'fixed',
    environment: {
      get AUTH_JWKS_URL() {
        return keySet.url
      },
    },
  })

  it("has already fetched the issuer's keys", () => expect(keySet.fetches).toBe(1))
})
