import { request as httpRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { sendRaw } from '#test/support/raw-client.ts'
import { adminPages, listOtherSpellings, publicPages, unknownPaths } from './page-cases.ts'

const gateway = startTestGateway({ core: 'recording' })

const listeners = [
  ['the public listener', publicPages, () => gateway.url],
  ['the admin listener', adminPages, () => gateway.adminUrl],
] as const

// `fetch` would normalize the path.
const sendTo = (url: string, path: string) =>
  sendRaw(portOf(url), `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)

const portOf = (url: string) => Number(new URL(url).port)

describe.each(listeners)('%s', (_, pages, url) => {
  const send = (path: string) => sendTo(url(), path)
  const request = (method: string, path: string, headers = {}) => fetch(url() + path, { method, headers })

  it.each(pages)('serves %s uncached and with a request id, even if there is a query', async (path) => {
    for (const target of [path, `${path}?x=1`, `http://127.0.0.1${path}`]) {
      const response = await send(target)
      expect([target, response.status]).toEqual([target, 200])
      // Caches may store the API description, but must revalidate it before each use.
      expect(response.header('cache-control')).toMatch(
        path === '/openapi.json' ? /^(private, )?no-cache$/ : /^no-store$/,
      )
      expect(response.header('x-request-id')).toMatch(/./)
    }
  })

  it.each(pages)('serves HEAD of %s without a body', async (path) => {
    const response = await request('HEAD', path)
    expect(response.status).toBe(200)
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0)
    expect(await response.text()).toBe('')
  })

  it.each(pages)('serves no other spelling of %s', async (path) => {
    for (const spelling of listOtherSpellings(path)) {
      const { status, body } = await send(spelling)
      expect([400, 404], spelling).toContain(status)
      expect(JSON.parse(body), spelling).toEqual(
        errorBody(status === 400 ? 'bad_request' : 'route_not_found'),
      )
    }
  })

  it.each(pages)('returns 405 with an Allow header for other methods of %s', async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const response = await request(method, path)
      expect([method, response.status]).toEqual([method, 405])
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      expect(await response.json()).toEqual(errorBody('method_not_allowed'))
    }
  })

  it.each(unknownPaths)('returns 404 for %s', async (path) => {
    const response = await request('GET', path)
    expect([response.status, await response.json()]).toEqual([404, errorBody('route_not_found')])
    expect(response.headers.get('x-request-id')).toMatch(/./)
  })
})

describe('the public listener', () => {
  it('serves no metrics, whatever the method or token', async () => {
    const token = gateway.settings.INTERNAL_TOKEN ?? ''
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'])
      expect((await gateway.request(method, '/metrics', { token })).status).toBe(404)
    for (const spelling of listOtherSpellings('/metrics'))
      expect([400, 404]).toContain((await sendTo(gateway.url, spelling)).status)
    expect(gateway.core.requests).toEqual([])
  })

  it('says nothing about dependencies in /readyz', async () => {
    expect((await gateway.request('GET', '/readyz')).body).toEqual({ status: 'ready' })
  })
})

describe('the admin listener', () => {
  const requestWithHost = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(gateway.adminUrl)
      const sent = httpRequest({ hostname, port, path: '/metrics', headers: { host } }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode))
      })
      sent.once('error', reject).end()
    })

  it('redirects browsers and other clients from / to the console', async () => {
    for (const accept of ['text/html', '*/*'])
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await gateway.requestAdmin(method, '/', { headers: { accept } })
        expect([status, headers.get('location')]).toEqual([302, '/console'])
      }
    expect(await (await fetch(gateway.adminUrl)).text()).toContain('Your operator token')
  })

  it('serves no API route and forwards nothing', async () => {
    const { token } = await gateway.signUp()
    for (const path of ['/v1/libraries', '/v1/tracks', '/v1/internal/media-dispatches/drain-eligible']) {
      const response = await gateway.requestAdmin('GET', path, { token })
      expect(response).toMatchObject({ status: 404, body: { error: 'route_not_found' } })
      expect(response.headers.get('x-service-native-route')).toBe('unmatched')
    }
    expect(gateway.core.requests).toEqual([])
  })

  it.each(['127.0.0.1', '127.0.0.1:8788', 'localhost', 'LOCALHOST:1', '[::1]:8788', '10.0.0.7'])(
    'serves requests to the host %s',
    async (host) => {
      expect(await requestWithHost(host)).toBe(200)
    },
  )

  // Against DNS rebinding: an attacker can make these names resolve to the listener's address.
  it.each([
    'attacker.example',
    'attacker.example:8788',
    'localhost.attacker.example',
    '127.0.0.1.nip.example',
  ])('rejects requests to the host %s with 403', async (host) => {
    expect(await requestWithHost(host)).toBe(403)
  })

  it('allows no other origin to read or embed a response', async () => {
    const origin = 'https://app.example'
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await gateway.requestAdmin(method, '/metrics', {
        headers: { origin, 'access-control-request-method': 'GET' },
      })
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  it('counts requests to the public listener, but not those to itself', async () => {
    const readCount = async () => {
      const { body } = await gateway.requestAdmin('GET', '/metrics')
      return Number(
        /request_duration_seconds_count\{route="unmatched".*status="404"\} (\d+)/.exec(body)?.[1] ?? 0,
      )
    }
    await gateway.request('GET', '/nowhere')
    await expect.poll(readCount).toBeGreaterThan(0)
    const before = await readCount()
    await gateway.requestAdmin('GET', '/nowhere')
    expect(await readCount()).toBe(before)
    await gateway.request('GET', '/nowhere')
    await expect.poll(readCount).toBe(before + 1)
  })

  it('logs a line for each request, without its path', async () => {
    const requestId = crypto.randomUUID()
    await gateway.requestAdmin('GET', '/secret-path', { headers: { 'x-request-id': requestId } })
    await expect.poll(() => gateway.log.forRequest(requestId)).toHaveLength(1)
    expect(gateway.log.forRequest(requestId)).toMatchObject([
      { level: 'info', message: 'admin request served', fields: { method: 'GET', status: 404 } },
    ])
    expect(JSON.stringify(gateway.log.lines)).not.toContain('secret-path')
  })
})
