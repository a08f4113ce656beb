import { describe, expect, it } from 'vitest'
import { list } from '#contracts/tracks.ts'
import { defineRoute, NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import type { TestResponse } from '#test/support/request-at.ts'

const runtimeOf = ({ headers }: TestResponse) => headers.get('x-service-core-runtime')
const fallbackOf = ({ headers }: TestResponse) => headers.get('x-service-proxy-fallback')

const signUpMany = (gateway: TestGateway, count: number) =>
  Promise.all(Array.from({ length: count }, () => gateway.signUp({ plan: 'free' })))

describe('a route that native serves to half of the accounts', () => {
  const environment = {
    GATEWAY_ROUTES: 'libraries.*=canary:5000,public.track-links.detail=canary:5000,billing.status=retired',
  }
  const gateway = startTestGateway({ core: 'recording', environment })

  it('uses native for some accounts and the core for others, but always the same side for an account', async () => {
    const accounts = await signUpMany(gateway, 40)
    const first = await Promise.all(accounts.map(({ get }) => get('/v1/libraries')))
    const second = await Promise.all(accounts.map(({ get }) => get('/v1/libraries')))
    expect(second.map(runtimeOf)).toEqual(first.map(runtimeOf))
    expect(new Set(first.map(runtimeOf))).toEqual(new Set(['native', 'proxy']))
    expect(first.map(fallbackOf)).toEqual(first.map(() => '0'))
  })

  it('uses the same side for an account as the other routes in its area', async () => {
    for (const { get } of await signUpMany(gateway, 10))
      expect(runtimeOf(await get('/v1/libraries/shared-with-me'))).toBe(runtimeOf(await get('/v1/libraries')))
  })

  it('logs why the side was chosen', async () => {
    const requestId = crypto.randomUUID()
    const account = await gateway.signUp()
    await account.get('/v1/libraries', { 'x-request-id': requestId })
    const find = () => gateway.log.forRequest(requestId).find(({ message }) => message === 'request')
    await expect.poll(find).toMatchObject({ fields: { reason: 'split' } })
  })

  it.each([
    ['no token', undefined],
    ['a token without a signature', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhY2N0XzEifQ.x'],
    ['a token that is not a JWT', 'nonsense'],
  ])('is served by the core if the request has %s', async (_, token) => {
    for (let round = 0; round < 8; round += 1)
      expect(runtimeOf(await gateway.request('GET', '/v1/libraries', token ? { token } : {}))).toBe('proxy')
  })

  it('uses the same side for everyone who opens the same share link', async () => {
    const tokens = Array.from({ length: 30 }, (_, index) => `share-token-${index}`)
    const open = (token: string) => gateway.request('GET', `/v1/public/track-links/${token}`)
    const signedIn = await gateway.signUp()
    const first = await Promise.all(tokens.map(open))
    const second = await Promise.all(tokens.map((token) => signedIn.get(`/v1/public/track-links/${token}`)))
    expect(second.map(runtimeOf)).toEqual(first.map(runtimeOf))
    expect(new Set(first.map(runtimeOf))).toEqual(new Set(['native', 'proxy']))
  })
})

describe('a state in GATEWAY_ROUTES', () => {
  const { 'billing.status': _, 'packs.list': __, 'tracks.detail': ___, ...otherHandlers } = handlers
  const fail = () => Promise.reject(new NotPortedError())
  const environment = { GATEWAY_ROUTES: '*=native,libraries.*=proxy,tracks.detail=retired' }
  const gateway = startTestGateway({
    core: 'recording',
    environment,
    handlers: { ...otherHandlers, 'tracks.list': defineRoute(list, fail) },
  })

  it('lets native serve a `proxy` row that has a handler, and fall back to the core', async () => {
    const { get } = await gateway.signUp()
    const response = await get('/v1/tracks')
    expect([response.status, runtimeOf(response), fallbackOf(response)]).toEqual([200, 'proxy', '1'])
  })

  it('forwards a route without a handler in this build instead of returning 501', async () => {
    const { get } = await gateway.signUp()
    for (const path of ['/v1/billing/status', '/v1/packs']) {
      const response = await get(path)
      expect([path, response.status, runtimeOf(response), fallbackOf(response)]).toEqual([
        path,
        200,
        'proxy',
        '0',
      ])
    }
  })

  it('rejects a retired route with 501 if this build has no handler for it', async () => {
    const { get } = await gateway.signUp()
    const response = await get('/v1/tracks/some-track')
    expect([response.status, runtimeOf(response), fallbackOf(response)]).toEqual([501, 'native', '0'])
  })

  it('with a narrower scope overrides one with a wider scope', async () => {
    const { get } = await gateway.signUp()
    expect(runtimeOf(await get('/v1/libraries'))).toBe('proxy')
  })
})
