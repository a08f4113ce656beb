import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, openRawClient, rawExchange } from '#test/support/raw-client.ts'
import { bytes } from '#test/support/raw-core.ts'
import { startTestWorker } from '#test/support/worker.ts'

const gateway = startTestGateway({ core: 'recording', environment: { CORE_TIMEOUT_MS: '700' } })
const worker = startTestWorker(gateway)

const port = () => Number(new URL(worker.origin()).port)

const seenHeaders = () =>
  new Map(gateway.core.requests.at(-1)?.headers.map(([name, value]) => [name.toLowerCase(), value]))

describe('what the core sees of a request to a Worker', () => {
  it('are the path and query as they were sent, and a client that cannot lie about itself', async () => {
    await rawExchange(
      port(),
      get(
        '/v1/tracks?a=%41&b=x+y',
        'Authorization: Bearer abc',
        'X-Forwarded-For: 10.0.0.1',
        'X-Service-Core-Runtime: native',
        'X-Request-Id: req_worker',
      ),
    )
    expect(gateway.core.requests.at(-1)).toMatchObject({ method: 'GET', target: '/v1/tracks?a=%41&b=x+y' })
    const headers = seenHeaders()
    expect(headers.get('authorization')).toBe('Bearer abc')
    expect(headers.get('x-request-id')).toBe('req_worker')
    expect(headers.get('x-forwarded-host')).toBe('api.example')
    expect(headers.get('x-forwarded-for')).not.toContain('10.0.0.1')
    expect(headers.get('via')).toMatch(/^1\.1 crossfade-/)
    expect([...headers.keys()].filter((name) => /^x-service-/.test(name))).toEqual([])
  })
})

describe('what a client sees of the core through a Worker', () => {
  it('is its body byte for byte, also where it is compressed', async () => {
    const compressed = gzipSync('{"records":[]}').toString('latin1')
    gateway.core.next.push(
      bytes(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${compressed.length}\r\n\r\n${compressed}`,
      ),
    )
    const answer = await rawExchange(port(), get('/v1/tracks', 'Accept-Encoding: gzip'))
    expect(answer.header('content-encoding')).toBe('gzip')
    expect(answer.body).toBe(compressed)
  })

  it('are its own headers but for those that only the gateway may set', async () => {
    gateway.core.next.push(
      bytes(
        [
          'HTTP/1.1 302 Found',
          'Set-Cookie: a=1',
          'Set-Cookie: b=2',
          `Location: ${gateway.core.url}/v1/tracks/1`,
          'ETag: "x"',
          'Cache-Control: private',
          'X-Service-Native-Route: forged',
          'Content-Length: 0',
          '',
          '',
        ].join('\r\n'),
      ),
    )
    const answer = await rawExchange(port(), get('/v1/tracks'))
    expect(answer.status).toBe(302)
    expect(answer.headers.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, v]) => v)).toEqual([
      'a=1',
      'b=2',
    ])
    expect(answer.header('location')).toBe('http://api.example/v1/tracks/1')
    expect(answer.header('etag')).toBe('"x"')
    expect(answer.header('cache-control')).toBe('private')
    expect(answer.header('x-service-native-route')).toBe('tracks.list')
    expect(answer.header('x-service-core-runtime')).toBe('proxy')
  })

  it('is a 504 of the gateway where the core keeps silent', async () => {
    gateway.core.next.push(() => {})
    const answer = await worker.request('GET', '/v1/tracks')
    expect(answer).toMatchObject({ status: 504, body: { error: 'core_timeout' } })
    expect(answer.headers.get('x-service-core-runtime')).toBe('proxy')
    expect(answer.headers.get('x-service-native-route')).toBe('tracks.list')
  })

  it('is no clean end where the core breaks off', async () => {
    gateway.core.next.push((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')
      setTimeout(() => socket.destroy(), 50)
    })
    const client = await openRawClient(port())
    client.send(get('/v1/tracks'))
    expect(await client.answer()).toMatchObject({ status: 200, complete: false })
    client.socket.destroy()
  })
})

describe('a Worker that cannot reach its database', () => {
  const cutOff = startTestWorker(gateway, { DATABASE_URL: 'postgres://nobody:none@127.0.0.1:1/none' })

  it('has the core serve what native surely did not do, and says so', async () => {
    const { token } = await gateway.signUp()
    const answer = await cutOff.request('POST', '/v1/libraries', { token, body: { name: 'Demos' } })
    expect(answer).toMatchObject({ status: 200, body: 'ok' })
    expect(answer.headers.get('x-service-core-runtime')).toBe('proxy')
    expect(answer.headers.get('x-service-native-route')).toBe('libraries.create')
    expect(answer.headers.get('x-service-proxy-fallback')).toBe('1')
    const sent = await gateway.core.requests.at(-1)?.body
    expect(JSON.parse(String(sent))).toEqual({ name: 'Demos' })
  })

  it('goes on being ready, for another instance would be no better off', async () => {
    expect(await cutOff.request('GET', '/readyz')).toMatchObject({ status: 200, body: { database: 'down' } })
  })
})
