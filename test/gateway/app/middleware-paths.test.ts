import { describe, expect, it } from 'vitest'
import type { GatewayMiddleware } from '#gateway/app/middleware.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { openRawClient } from '#test/support/raw-client.ts'

const nameMount =
  (mount: string): GatewayMiddleware =>
  async (context, next) => {
    context.header('x-mounts', mount, { append: true })
    await next()
  }

const gateway = startTestGateway({
  core: 'recording',
  environment: { CORS_ORIGINS: 'https://app.example' },
  mountMiddleware(app) {
    app.use(nameMount('all'))
    app.use('/v1/libraries/*', nameMount('libraries'))
    app.on('HEAD', '/v1/libraries', nameMount('never'))
    app.get('/v1/libraries/:libraryId', nameMount('get'))
    app.use('/v1/packs/answered', async (context) => context.text('answered'))
    app.use('/v1/packs/hidden', async (context) => context.notFound())
    app.use('/v1/webhooks/*', nameMount('webhooks'))
    app.use('/healthz', nameMount('health'))
  },
})

const mountsOf = async (method: string, path: string, headers: Record<string, string> = {}) => {
  const response = await gateway.request(method, path, { headers, isDescribed: false })
  const { headers: received, status } = response
  return {
    status,
    route: received.get('x-service-native-route'),
    mounts: received.get('x-mounts')?.split(', '),
  }
}

const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' }

describe('middleware for a path', () => {
  it('can hide a route behind a 404 without calling the core', async () => {
    const before = gateway.core.requests.length
    expect(await mountsOf('GET', '/v1/packs/hidden')).toMatchObject({ status: 404, route: 'packs.detail' })
    expect(gateway.core.requests.length).toBe(before)
  })

  it.each([
    ['OPTIONS', '*', ['all']],
    ['GET', '/v1/libraries/*', ['all', 'libraries', 'get']],
    ['GET', '/*', ['all']],
  ])('runs once for %s %s', async (method, path, mounts) => {
    const client = await openRawClient(Number(new URL(gateway.url).port))
    client.send(`${method} ${path} HTTP/1.1\r\nhost: gateway\r\n\r\n`)
    const response = await client.receiveResponse()
    client.socket.destroy()
    expect(response.header('x-mounts')?.split(', ')).toEqual(mounts)
  })

  it.each([
    ['a native row', 'GET', '/v1/libraries', 401, 'libraries.list', ['all', 'libraries']],
    [
      'a row with a parameter',
      'GET',
      '/v1/libraries/x',
      401,
      'libraries.detail',
      ['all', 'libraries', 'get'],
    ],
    [
      'a row that two patterns match',
      'GET',
      '/v1/libraries/shared-with-me',
      401,
      'libraries.shared-with-me',
      ['all', 'libraries', 'get'],
    ],
    [
      'a HEAD request, which is served as GET',
      'HEAD',
      '/v1/libraries/x',
      401,
      'libraries.detail',
      ['all', 'libraries', 'get'],
    ],
    ['a write', 'POST', '/v1/libraries', 401, 'libraries.create', ['all', 'libraries']],
    ['a forwarded row', 'GET', '/v1/tracks', 200, 'tracks.list', ['all']],
    [
      'a path without a row below it',
      'GET',
      '/v1/libraries/x/nothing',
      200,
      'unmatched',
      ['all', 'libraries'],
    ],
    ['a path without a row elsewhere', 'GET', '/v1/nothing', 200, 'unmatched', ['all']],
    ['a method without a row', 'DELETE', '/v1/libraries', 200, 'unmatched', ['all', 'libraries']],
    ['a path that gets a 405', 'GET', '/v1/webhooks/billing', 405, 'unmatched', ['all', 'webhooks']],
    ['a path that gets a 501', 'POST', '/v1/webhooks/unknown', 501, 'unmatched', ['all', 'webhooks']],
    ['OPTIONS that the core answers', 'OPTIONS', '/v1/libraries', 200, 'unmatched', ['all', 'libraries']],
    ['a page', 'GET', '/healthz', 200, 'unmatched', ['all', 'health']],
    ['a path outside the service', 'GET', '/nothing', 404, 'unmatched', ['all']],
    ['the path spelled differently', 'GET', '/v1/%6Cibraries', 401, 'libraries.list', ['all', 'libraries']],
    ['a path in a different letter case', 'GET', '/v1/Libraries', 200, 'unmatched', ['all']],
  ])('runs for %s', async (_, method, path, status, route, mounts) => {
    expect(await mountsOf(method, path)).toEqual({ status, route, mounts })
  })

  it('runs for a preflight', async () => {
    expect(await mountsOf('OPTIONS', '/v1/libraries', preflight)).toEqual({
      status: 204,
      route: 'unmatched',
      mounts: ['all', 'libraries'],
    })
  })

  it('can respond to a request itself, without calling the core', async () => {
    const before = gateway.core.requests.length
    const { status, body, headers } = await gateway.request('GET', '/v1/packs/answered', {
      isDescribed: false,
    })
    expect([status, body, headers.get('x-service-native-route')]).toEqual([200, 'answered', 'packs.detail'])
    expect(gateway.core.requests.length).toBe(before)
  })
})
