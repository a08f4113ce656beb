import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'

const origin = 'https://app.example.test'

describe('with allowed origins', () => {
  const gateway = startTestGateway({
    core: 'recording',
    environment: { CORS_ORIGINS: `${origin}, https://b.test` },
  })

  it.each(['/v1/libraries', '/v1/tracks', '/v1/unheard-of', '/v1/webhooks/billing'])(
    'answers the preflight of %s itself',
    async (path) => {
      const before = gateway.core.requests.length
      const answer = await gateway.request('OPTIONS', path, {
        headers: {
          origin,
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization, content-type',
        },
      })
      expect(answer.status).toBe(204)
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
      expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH')
      expect(answer.headers.get('access-control-allow-headers')).toBe('authorization, content-type')
      expect(answer.headers.get('x-service-core-runtime')).toBe('native')
      expect(gateway.core.requests.length).toBe(before)
    },
  )

  it.each([
    ['native', '/v1/libraries', 401],
    ['proxy', '/v1/tracks', 200],
    ['native', '/v1/webhooks/nothing', 501],
  ])('lets a page of that origin read a %s answer of %s', async (runtime, path, status) => {
    gateway.core.next.push((socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: https://core.test\r\nVary: Accept-Encoding\r\nContent-Length: 2\r\n\r\nok',
      )
    })
    const answer = await gateway.request('GET', path, { headers: { origin } })
    if (runtime === 'native') gateway.core.next.length = 0
    expect([answer.status, answer.headers.get('x-service-core-runtime')]).toEqual([status, runtime])
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-service-core-runtime')
    expect(answer.headers.get('vary')).toContain('Origin')
  })

  it('lets a page of that origin read that its path is none', async () => {
    const answer = await gateway.request('GET', '/v1/tracks/a%2Fb', { headers: { origin } })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([400, origin])
    expect(answer.headers.get('vary')).toContain('Origin')
  })

  it('tells a page of any other origin nothing', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await gateway.request(method, '/v1/libraries', {
        headers: { origin: 'https://elsewhere.test', 'access-control-request-method': 'GET' },
      })
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      expect(answer.headers.get('access-control-allow-methods')).toBeNull()
      expect(answer.headers.get('vary')).toBe('Origin')
    }
  })
})

describe('without allowed origins', () => {
  const gateway = startTestGateway({ core: 'recording' })

  it("passes the core's own headers and its preflights", async () => {
    gateway.core.next.push((socket) => {
      socket.write('HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\n\r\n')
    })
    const answer = await gateway.request('OPTIONS', '/v1/packs', {
      headers: { origin, 'access-control-request-method': 'GET' },
    })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(answer.headers.get('x-service-core-runtime')).toBe('proxy')
  })
})
