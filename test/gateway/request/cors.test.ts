import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'

const origin = 'https://app.example.test'

describe('CORS with allowed origins', () => {
  const gateway = startTestGateway({
    control: 'fixed',
    core: 'recording',
    environment: { CORS_ORIGINS: `${origin}, https://b.test` },
  })

  it.each(['/v1/libraries', '/v1/tracks', '/v1/unheard-of', '/v1/webhooks/billing'])(
    'responds to a preflight for %s without the core',
    async (path) => {
      const before = gateway.core.requests.length
      const response = await gateway.request('OPTIONS', path, {
        headers: {
          origin,
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization, content-type',
        },
      })
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-origin')).toBe(origin)
      expect(response.headers.get('access-control-allow-methods')).toContain('PATCH')
      expect(response.headers.get('access-control-allow-headers')).toBe('authorization, content-type')
      expect(response.headers.get('x-service-core-runtime')).toBe('native')
      expect(gateway.core.requests.length).toBe(before)
    },
  )

  it.each([
    ['native', '/v1/libraries', 401],
    ['proxy', '/v1/tracks', 200],
    ['native', '/v1/webhooks/nothing', 501],
  ])('allows an origin in CORS_ORIGINS to read a %s response from %s', async (runtime, path, status) => {
    gateway.core.nextReplies.push((socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: https://core.test\r\nVary: Accept-Encoding\r\nContent-Length: 2\r\n\r\nok',
      )
    })
    const response = await gateway.request('GET', path, { headers: { origin } })
    if (runtime === 'native') gateway.core.nextReplies.length = 0
    expect([response.status, response.headers.get('x-service-core-runtime')]).toEqual([status, runtime])
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    expect(response.headers.get('access-control-expose-headers')).toContain('x-service-core-runtime')
    expect(response.headers.get('vary')).toContain('Origin')
  })

  it('allows an origin in CORS_ORIGINS to read the error for an invalid path', async () => {
    const response = await gateway.request('GET', '/v1/tracks/a%2Fb', { headers: { origin } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([400, origin])
    expect(response.headers.get('vary')).toContain('Origin')
  })

  it('sends no CORS headers except Vary to other origins', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const response = await gateway.request(method, '/v1/libraries', {
        headers: { origin: 'https://elsewhere.test', 'access-control-request-method': 'GET' },
      })
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect(response.headers.get('access-control-allow-methods')).toBeNull()
      expect(response.headers.get('vary')).toBe('Origin')
    }
  })
})

describe('CORS with only APP_ORIGIN', () => {
  const gateway = startTestGateway({
    control: 'fixed',
    core: 'recording',
    environment: { APP_ORIGIN: origin },
  })
  const preflight = { 'access-control-request-method': 'POST' }
  const request = async (method: string, headers: Readonly<Record<string, string>>) => {
    gateway.core.nextReplies.push((socket) => {
      socket.write('HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\n\r\n')
    })
    const response = await gateway.request(method, '/v1/public/unheard-of', { headers })
    gateway.core.nextReplies.length = 0
    return [
      response.headers.get('x-service-core-runtime'),
      response.headers.get('access-control-allow-origin'),
    ]
  }

  it('sets its own headers for that origin on share pages', async () => {
    expect(await request('GET', { origin })).toEqual(['proxy', origin])
    expect(await request('OPTIONS', { origin, ...preflight })).toEqual(['native', origin])
  })

  it("leaves the core's headers for other origins unchanged on share pages", async () => {
    const other = 'https://elsewhere.test'
    expect(await request('GET', { origin: other })).toEqual(['proxy', '*'])
    expect(await request('OPTIONS', { origin: other, ...preflight })).toEqual(['proxy', '*'])
  })
})

describe('CORS without allowed origins', () => {
  const gateway = startTestGateway({ control: 'fixed', core: 'recording' })

  it.each(['/v1/packs', '/v1/libraries', '/v1/tracks/t1', '/v1/tracks/t1/metadata', '/v1/tracks/t1/unknown'])(
    "forwards a preflight for %s and leaves the core's CORS headers unchanged",
    async (path) => {
      gateway.core.nextReplies.push((socket) => {
        socket.write('HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\n\r\n')
      })
      const response = await gateway.request('OPTIONS', path, {
        headers: { origin, 'access-control-request-method': 'PATCH' },
      })
      gateway.core.nextReplies.length = 0
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
      expect(response.headers.get('x-service-core-runtime')).toBe('proxy')
      expect(response.headers.get('x-service-native-route')).toBe('unmatched')
    },
  )

  it('responds itself to an OPTIONS for a track that is no preflight', async () => {
    const before = gateway.core.requests.length
    const response = await gateway.request('OPTIONS', '/v1/tracks/t1/metadata', { headers: { origin } })
    expect([response.status, response.headers.get('x-service-core-runtime')]).toEqual([401, 'native'])
    expect(gateway.core.requests.length).toBe(before)
  })
})
