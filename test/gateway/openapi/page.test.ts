import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { createOpenApiDocument } from '#gateway/openapi/create-document.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { sendRaw } from '#test/support/raw-client.ts'

const gateway = startTestGateway()

const read = (headers: Record<string, string> = {}) =>
  gateway.request('GET', '/openapi.json', { headers: { 'accept-encoding': 'identity', ...headers } })

/** Returns the bytes on the wire, which `fetch` would decode. */
const readRaw = async (accepted: string) => {
  const lines = ['GET /openapi.json HTTP/1.1', 'Host: x', `Accept-Encoding: ${accepted}`, 'Connection: close']
  return sendRaw(Number(new URL(gateway.url).port), `${lines.join('\r\n')}\r\n\r\n`)
}

describe('/openapi.json', () => {
  it('describes every route except internal ones, and needs no token', async () => {
    const { status, headers, body } = await read()
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('x-service-core-runtime')).toBe('native')
    expect(headers.get('x-service-native-route')).toBe('unmatched')
    expect(headers.get('x-service-proxy-fallback')).toBe('0')
    expect(body).toEqual(JSON.parse(JSON.stringify(createOpenApiDocument('public'))))
    const described = Array.from(JSON.stringify(body).matchAll(/"operationId":"([^"]+)"/g), ([, id]) => id)
    const visible = labels.filter((label) => rowOf(label).auth !== 'internal')
    expect(visible.length).toBeLessThan(labels.length)
    expect(described.sort()).toEqual([...visible].sort())
    expect(JSON.stringify(body)).not.toMatch(/\binternal(?!_error)/i)
    expect(JSON.stringify(body)).not.toContain('QueuedDispatch')
  })

  it('describes the internal routes to operators', async () => {
    const { status, body, headers } = await gateway.requestAdmin('GET', '/openapi.json')
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(body).toEqual(JSON.parse(JSON.stringify(createOpenApiDocument('operators'))))
  })

  it('may be cached, and is revalidated with its entity tag', async () => {
    const { headers } = await read()
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('vary')).toMatch(/accept-encoding/)
    const etag = headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-f]{24}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const unchanged = await read({ 'if-none-match': known })
      expect([unchanged.status, unchanged.body, unchanged.headers.get('etag')]).toEqual([304, '', etag])
    }
    expect((await read({ 'if-none-match': '"other"' })).status).toBe(200)
  })

  it('has a different entity tag when compressed', async () => {
    const plain = (await read()).headers.get('etag') ?? ''
    const compressed = (await read({ 'accept-encoding': 'gzip' })).headers.get('etag') ?? ''
    expect(compressed).toBe(plain.replace(/"$/, '-gzip"'))
    expect((await read({ 'accept-encoding': 'gzip', 'if-none-match': plain })).status).toBe(200)
  })

  it.each(['gzip', 'br, gzip;q=0.5', 'x-gzip'])(
    'is compressed for a client that accepts %s',
    async (accepted) => {
      const { status, header, body } = await readRaw(accepted)
      expect([status, header('content-encoding')]).toEqual([200, 'gzip'])
      expect(Number(header('content-length'))).toBe(body.length)
      const text = await promisify(gunzip)(Buffer.from(body, 'latin1'))
      expect(JSON.parse(text.toString())).toHaveProperty('openapi', '3.1.1')
    },
  )

  it.each(['identity', 'gzip;q=0', 'br'])(
    'is not compressed for a client that accepts %s',
    async (accepted) => {
      const { header, body } = await readRaw(accepted)
      expect(header('content-encoding')).toBeUndefined()
      expect(JSON.parse(Buffer.from(body, 'latin1').toString())).toHaveProperty('openapi', '3.1.1')
    },
  )

  it('returns the same headers for HEAD as for GET', async () => {
    const { status, headers, body } = await gateway.request('HEAD', '/openapi.json')
    expect([status, body]).toEqual([200, ''])
    expect(headers.get('etag')).toMatch(/^"/)
  })
})
