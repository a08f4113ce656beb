import { describe, expect, it } from 'vitest'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestResponse } from '#test/support/gateway.ts'

const stampOf = ({ headers }: TestResponse) => [
  headers.get('x-service-core-runtime'),
  headers.get('x-service-native-route'),
  headers.get('x-service-proxy-fallback'),
]

const nativeOnlyPaths = [
  '/v1/analytics/whatever',
  '/v1/analytics-of-tomorrow',
  '/v1/catalog-analysis',
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
  const gateway = startTestGateway({ core: 'recording' })

  it.each(['/v1', '/v1/', '/v1/unheard-of', '/v1/libraries/', '/v1/tracks/t1/processing/unknown'])(
    'forwards %s, which has no row',
    async (path) => {
      const before = gateway.core.requests.length
      const answer = await gateway.request('GET', path)
      expect(answer.status).toBe(200)
      expect(stampOf(answer)).toEqual(['proxy', 'unmatched', '0'])
      expect(gateway.core.requests.slice(before).map(({ target }) => target)).toEqual([path])
    },
  )

  it('forwards a method that a path has no row for: the core may know more than the table', async () => {
    const answer = await gateway.request('DELETE', '/v1/libraries')
    expect([answer.status, ...stampOf(answer)]).toEqual([200, 'proxy', 'unmatched', '0'])
  })

  it.each(nativeOnlyPaths)('never forwards %s', async (path) => {
    const before = gateway.core.requests.length
    for (const method of ['GET', 'POST']) {
      const answer = await gateway.request(method, path)
      expect(answer.status).toBe(501)
      expect(answer.body).toEqual({
        error: 'native_route_not_implemented',
        message: expect.any(String),
        path: expect.any(String),
      })
      expect(stampOf(answer)).toEqual(['native', 'unmatched', '0'])
    }
    expect(gateway.core.requests.length).toBe(before)
  })

  it('refuses another method on a native-only path and names the ones that are allowed', async () => {
    const answer = await gateway.request('GET', '/v1/webhooks/billing')
    expect([answer.status, answer.body]).toEqual([405, { error: 'method_not_allowed' }])
    expect(answer.headers.get('allow')).toBe('POST')
    expect(stampOf(answer)).toEqual(['native', 'unmatched', '0'])
  })

  it('does not know a path outside /v1', async () => {
    for (const path of ['/', '/v2/libraries', '/v1x', '/favicon.ico']) {
      const answer = await gateway.request('GET', path)
      expect([answer.status, answer.body]).toEqual([404, { error: 'route_not_found' }])
      expect(stampOf(answer)).toEqual(['native', 'unmatched', '0'])
    }
  })

  it('answers HEAD as GET without a body', async () => {
    const account = await gateway.signUp()
    const answer = await gateway.request('HEAD', '/v1/libraries', { token: account.token })
    const full = await account.get('/v1/libraries')
    expect([answer.status, answer.body]).toEqual([200, ''])
    expect(stampOf(answer)).toEqual(stampOf(full))
    expect(answer.headers.get('content-length')).toBe(full.headers.get('content-length'))
  })

  describe('one segment below a track', () => {
    it('asks for an account first', async () => {
      const answer = await gateway.request('GET', '/v1/tracks/unknown/nonsense')
      expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized' }])
    })

    it('then for a track of that account', async () => {
      const [owner, stranger] = await Promise.all([gateway.signUp(), gateway.signUp()])
      const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
      for (const path of [
        `/v1/tracks/${trackId}/nonsense`,
        '/v1/tracks/unknown/tags',
        '/v1/tracks/a%20b/tags',
      ]) {
        const answer = await stranger.delete(path)
        expect([answer.status, answer.body]).toEqual([404, { error: 'track_not_found' }])
      }
    })

    it('then for a resource that exists, and last for its method', async () => {
      const owner = await gateway.signUp()
      const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
      const unknown = await owner.get(`/v1/tracks/${trackId}/nonsense`)
      expect([unknown.status, unknown.body]).toEqual([404, { error: 'track_resource_not_found' }])
      const wrongMethod = await owner.delete(`/v1/tracks/${trackId}/lyrics`)
      expect([wrongMethod.status, wrongMethod.body]).toEqual([405, { error: 'method_not_allowed' }])
      expect(wrongMethod.headers.get('allow')).toBe('GET, HEAD, PUT')
      expect(stampOf(wrongMethod)).toEqual(['native', 'unmatched', '0'])
    })
  })
})

describe('a forwarded row with a scope', () => {
  const gateway = startTestGateway({ core: 'recording', throughRelay: true })

  it('is forwarded without a look at the database', async () => {
    const account = await gateway.signUp()
    const statements: string[] = []
    gateway.relay.onStatement = (_, sent) => {
      statements.push(sent)
      return null
    }
    const forwarded = labels.filter((label) => rowOf(label).runtime === 'proxy' && rowOf(label).scope)
    for (const label of forwarded) {
      const { method, path } = rowOf(label)
      const answer = await gateway.request(method, path.replaceAll(/:\w+/g, 'x'), { token: account.token })
      expect([answer.status, ...stampOf(answer)]).toEqual([200, 'proxy', label, '0'])
    }
    expect(forwarded).not.toEqual([])
    expect(gateway.core.requests).toHaveLength(forwarded.length)
    expect(statements).toEqual([])
  })
})

describe('a gateway without a core', () => {
  const gateway = startTestGateway({ core: 'none' })

  it.each(['/v1/unheard-of', '/v1/packs', '/v1/tracks'])('does not implement %s', async (path) => {
    const answer = await gateway.request('GET', path)
    expect(answer.status).toBe(501)
    expect(answer.body).toEqual({ error: 'native_route_not_implemented', message: expect.any(String), path })
    expect(answer.headers.get('x-service-core-runtime')).toBe('native')
  })

  it('refuses a method that a path has no row for', async () => {
    const answer = await gateway.request('DELETE', '/v1/libraries')
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
  })
})
