import { describe, expect, it } from 'vitest'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { errorBody } from '#test/support/error-body.ts'
import { fillPathWith } from '#test/support/fill-path.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import type { TestResponse } from '#test/support/request-at.ts'

const selectServiceHeaders = ({ headers }: TestResponse) => [
  headers.get('x-service-core-runtime'),
  headers.get('x-service-native-route'),
  headers.get('x-service-proxy-fallback'),
]

const nativeOnlyPaths = [
  '/v1/analytics/whatever',
  '/v1/analytics-of-tomorrow',
  '/v1/catalog-analysis/deeper',
  '/v1/webhooks',
  '/v1/webhooks/unknown',
  '/v1/media-intelligence/callback/deeper',
  '/v1/internal/anything',
  '/v1/Webhooks/billing',
  '/V1/WEBHOOKS/billing',
  '/v1/%77ebhooks/unknown',
  '/v1/webhooks;a=b/billing',
  '/v1/internal/',
  '/v1/analyt%C4%B1cs',
  '/v1/%C4%B0nternal/x',
  '/v1/webhooks%C2%AD/billing',
  '/v1/webhooks%E2%80%8B/billing',
  '/v1/catalog-analysis.json',
  '/v1/webhooks./billing',
]

describe('a gateway with a core', () => {
  const gateway = startTestGateway({ control: 'fixed', core: 'recording' })

  it.each(['/v1', '/v1/', '/v1/unheard-of', '/v1/libraries/', '/v1/tracks/t1/processing/unknown'])(
    'forwards %s, which matches no row',
    async (path) => {
      const before = gateway.core.requests.length
      const response = await gateway.request('GET', path)
      expect(response.status).toBe(200)
      expect(selectServiceHeaders(response)).toEqual(['proxy', 'unmatched', '0'])
      expect(gateway.core.requests.slice(before).map(({ target }) => target)).toEqual([path])
    },
  )

  it('forwards a method without a row, because the core may implement it', async () => {
    const response = await gateway.request('DELETE', '/v1/libraries')
    expect([response.status, ...selectServiceHeaders(response)]).toEqual([200, 'proxy', 'unmatched', '0'])
  })

  it.each(nativeOnlyPaths)('never forwards %s', async (path) => {
    const before = gateway.core.requests.length
    for (const method of ['GET', 'POST']) {
      const response = await gateway.request(method, path)
      expect(response.status).toBe(501)
      expect(response.body).toEqual({
        error: 'native_route_not_implemented',
        message: expect.any(String),
        path: expect.any(String),
      })
      expect(selectServiceHeaders(response)).toEqual(['native', 'unmatched', '0'])
    }
    expect(gateway.core.requests.length).toBe(before)
  })

  it('returns 405 with an Allow header for a different method on a native-only path', async () => {
    const response = await gateway.request('GET', '/v1/webhooks/billing')
    expect([response.status, response.body]).toEqual([405, errorBody('method_not_allowed')])
    expect(response.headers.get('allow')).toBe('POST')
    expect(selectServiceHeaders(response)).toEqual(['native', 'unmatched', '0'])
  })

  it('returns 404 for paths outside /v1', async () => {
    for (const path of ['/', '/v2/libraries', '/v1x', '/favicon.ico']) {
      const response = await gateway.request('GET', path)
      expect([response.status, response.body]).toEqual([404, errorBody('route_not_found')])
      expect(selectServiceHeaders(response)).toEqual(['native', 'unmatched', '0'])
    }
  })

  it('responds to HEAD as to GET, but without a body', async () => {
    const account = await gateway.signUp()
    const response = await gateway.request('HEAD', '/v1/libraries', { token: account.token })
    const full = await account.get('/v1/libraries')
    expect([response.status, response.body]).toEqual([200, ''])
    expect(selectServiceHeaders(response)).toEqual(selectServiceHeaders(full))
    expect(response.headers.get('content-length')).toBe(full.headers.get('content-length'))
  })

  describe('a path one segment below a track', () => {
    it('returns 401 without a token', async () => {
      const response = await gateway.request('GET', '/v1/tracks/unknown/nonsense')
      expect([response.status, response.body]).toEqual([401, errorBody('unauthorized')])
    })

    it("returns 404 for another account's track", async () => {
      const [owner, otherAccount] = await Promise.all([gateway.signUp(), gateway.signUp()])
      const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
      for (const path of [
        `/v1/tracks/${trackId}/nonsense`,
        '/v1/tracks/unknown/tags',
        '/v1/tracks/a%20b/tags',
      ]) {
        const response = await otherAccount.delete(path)
        expect([response.status, response.body]).toEqual([404, errorBody('track_not_found')])
      }
    })

    it('returns 404 for an unknown resource and 405 for an unknown method', async () => {
      const owner = await gateway.signUp()
      const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
      const unknown = await owner.get(`/v1/tracks/${trackId}/nonsense`)
      expect([unknown.status, unknown.body]).toEqual([404, errorBody('track_resource_not_found')])
      const wrongMethod = await owner.delete(`/v1/tracks/${trackId}/lyrics`)
      expect([wrongMethod.status, wrongMethod.body]).toEqual([405, errorBody('method_not_allowed')])
      expect(wrongMethod.headers.get('allow')).toBe('GET, HEAD, PUT')
      expect(selectServiceHeaders(wrongMethod)).toEqual(['native', 'unmatched', '0'])
    })
  })
})

describe('a request for a scoped route that the core serves', () => {
  const gateway = startTestGateway({ control: 'fixed', core: 'recording', throughRelay: true })

  it('is forwarded without a database query', async () => {
    const account = await gateway.signUp()
    const statements: string[] = []
    gateway.relay.onStatement = (_, sent) => {
      statements.push(sent)
      return null
    }
    const forwarded = labels.filter((label) => rowOf(label).runtime === 'proxy' && rowOf(label).scope)
    for (const label of forwarded) {
      const path = fillPathWith(label, () => 'x')
      const response = await gateway.request(rowOf(label).method, path, { token: account.token })
      expect([response.status, ...selectServiceHeaders(response)]).toEqual([200, 'proxy', label, '0'])
    }
    expect(forwarded).not.toEqual([])
    expect(gateway.core.requests).toHaveLength(forwarded.length)
    expect(statements).toEqual([])
  })
})

describe('a gateway without a core', () => {
  const gateway = startTestGateway({ control: 'fixed', core: 'none' })

  it.each(['/v1/unheard-of', '/v1/packs', '/v1/tracks'])('returns 501 for %s', async (path) => {
    const response = await gateway.request('GET', path)
    expect(response.status).toBe(501)
    expect(response.body).toEqual({
      error: 'native_route_not_implemented',
      message: expect.any(String),
      path,
    })
    expect(response.headers.get('x-service-core-runtime')).toBe('native')
  })

  it('returns 405 for a method without a row', async () => {
    const response = await gateway.request('DELETE', '/v1/libraries')
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST')
  })
})
