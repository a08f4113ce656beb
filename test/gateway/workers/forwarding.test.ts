import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, openRawClient, sendRaw } from '#test/support/raw-client.ts'
import { bytes } from '#test/support/raw-core.ts'
import { startTestWorker } from '#test/support/worker.ts'
import { head } from '../../http/wire.ts'

const gateway = startTestGateway({ core: 'recording', environment: { CORE_TIMEOUT_MS: '700' } })
const worker = startTestWorker(gateway)

const port = () => Number(new URL(worker.origin()).port)

const seenHeaders = () =>
  new Map(gateway.core.requests.at(-1)?.headers.map(([name, value]) => [name.toLowerCase(), value]))

describe('what the core sees of a request to a Worker', () => {
  it('are the path and query as they were sent, and a client that cannot lie about itself', async () => {
    await sendRaw(
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

describe('what a Worker refuses', () => {
  it.each<[name: string, message: string, status: number, error: string]>([
    ['a target beyond the limit', get(`/v1/${'a'.repeat(17_000)}`), 414, 'uri_too_long'],
    ['headers beyond the limit', get('/v1/tracks', `X: ${'a'.repeat(17_000)}`), 431, 'headers_too_large'],
    ['an encoded slash', get('/v1%2ftracks'), 400, 'bad_request'],
    ['an empty segment', get('/v1//tracks'), 400, 'bad_request'],
    ['an encoded NUL', get('/v1/a%00b'), 400, 'bad_request'],
    ['another coding', head('POST /v1/tracks', 'Transfer-Encoding: gzip, chunked'), 400, 'bad_request'],
    [
      'an unknown expectation',
      head('POST /v1/tracks', 'Expect: x', 'Content-Length: 0'),
      417,
      'expectation_failed',
    ],
    ['TRACE', head('TRACE /v1/tracks'), 405, 'method_not_allowed'],
    [
      'GET with a body, which fetch cannot send',
      `${head('GET /v1/tracks', 'Content-Length: 3')}abc`,
      400,
      'bad_request',
    ],
    [
      'a path that is never forwarded, in another spelling',
      get('/v1/%77ebhooks/x'),
      501,
      'native_route_not_implemented',
    ],
  ])('is %s', async (_, message, status, error) => {
    const before = gateway.core.requests.length
    const answer = await sendRaw(port(), message)
    expect([answer.status, JSON.parse(answer.body).error]).toEqual([status, error])
    expect(answer.header('x-service-proxy-fallback')).toBe('0')
    expect(gateway.core.requests.length).toBe(before)
  })

  it('does not count against the core', async () => {
    for (let round = 0; round < 6; round++) {
      await sendRaw(port(), `${head('GET /v1/tracks', 'Content-Length: 3')}abc`)
    }
    expect((await sendRaw(port(), get('/v1/tracks'))).status).toBe(200)
  })
})

describe('what a Worker does not pass on of the core', () => {
  const ok200 = 'HTTP/1.1 200 OK\r\n'

  // The runtime refuses some on its own and does not say why: those are a core that is not available.
  it.each<[name: string, answer: string, status: number]>([
    ['an unknown coding', `${ok200}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`, 502],
    ['chunks twice', `${ok200}Transfer-Encoding: chunked, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`, 502],
    [
      'a length and chunks',
      `${ok200}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
      502,
    ],
    ['a control character', `${ok200}X: a\x01b\r\nContent-Length: 2\r\n\r\nok`, 502],
    [
      'a protocol nobody asked for',
      'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      502,
    ],
    ['a status that does not exist', 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok', 502],
    ['two lengths', `${ok200}Content-Length: 2\r\nContent-Length: 5\r\n\r\nokabc`, 503],
    ['a folded header', `${ok200}X: a\r\n b\r\nContent-Length: 2\r\n\r\nok`, 503],
    ['a NUL', `${ok200}X: a\0b\r\nContent-Length: 2\r\n\r\nok`, 503],
  ])('is %s', async (_, text, status) => {
    gateway.core.next.push(bytes(text))
    expect((await sendRaw(port(), get('/v1/tracks'))).status).toBe(status)
    const next = await sendRaw(port(), get('/v1/tracks'))
    expect([next.status, next.body]).toEqual([200, 'ok'])
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
    const answer = await sendRaw(port(), get('/v1/tracks', 'Accept-Encoding: gzip'))
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
    const answer = await sendRaw(port(), get('/v1/tracks'))
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
  const cutOff = startTestWorker(gateway, {
    DATABASE_URL: 'postgres://nobody:none@127.0.0.1:1/none',
    BODY_LIMIT_BYTES: '100',
  })

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

  it.each([
    [99, 200, 'proxy', 1],
    [101, 413, 'native', 0],
  ])(
    'gives the core no body that it would not have taken: %i bytes',
    async (length, status, runtime, seen) => {
      const { token } = await gateway.signUp()
      const before = gateway.core.requests.length
      const body = JSON.stringify({ name: 'x'.repeat(length - 11) })
      const answer = await cutOff.request('PATCH', '/v1/libraries/library', { token, body })
      expect([answer.status, answer.headers.get('x-service-core-runtime')]).toEqual([status, runtime])
      expect(gateway.core.requests.length).toBe(before + seen)
    },
  )
})
