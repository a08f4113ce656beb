import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, openRawClient, sendRaw } from '#test/support/raw-client.ts'
import { bytes } from '#test/support/raw-core.ts'
import { startTestWorker } from '#test/support/worker.ts'
import { head } from '../../http/wire.ts'

const gateway = startTestGateway({
  control: 'fixed',
  core: 'recording',
  environment: { CORE_TIMEOUT_MS: '700' },
})
const worker = startTestWorker(gateway)

const port = () => Number(new URL(worker.origin()).port)

const forwardedHeaders = () =>
  new Map(gateway.core.requests.at(-1)?.headers.map(([name, value]) => [name.toLowerCase(), value]))

describe('a request that a Worker forwards', () => {
  it('has the original path and query, and no forged client headers', async () => {
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
    const headers = forwardedHeaders()
    expect(headers.get('authorization')).toBe('Bearer abc')
    expect(headers.get('x-request-id')).toBe('req_worker')
    expect(headers.get('x-forwarded-host')).toBe('api.example')
    expect(headers.get('x-forwarded-for')).not.toContain('10.0.0.1')
    expect(headers.get('via')).toMatch(/^1\.1 crossfade-/)
    expect([...headers.keys()].filter((name) => /^x-service-/.test(name))).toEqual([])
  })

  // The runtime sends Pragma only if a request must not use its cache.
  it.each([
    [[], 'no-cache'],
    [['Cache-Control: max-age=60'], 'max-age=60'],
  ])(
    "bypasses the platform's cache, and keeps the client's cache headers: %j",
    async (sent, cacheControl) => {
      await sendRaw(port(), get('/v1/tracks', ...sent))
      expect(forwardedHeaders().get('pragma')).toBe('no-cache')
      expect(forwardedHeaders().get('cache-control')).toBe(cacheControl)
    },
  )
})

describe('an invalid request to a Worker', () => {
  it.each<[name: string, message: string, status: number, error: string]>([
    ['has a target above the limit', get(`/v1/${'a'.repeat(17_000)}`), 414, 'uri_too_long'],
    ['has headers above the limit', get('/v1/tracks', `X: ${'a'.repeat(17_000)}`), 431, 'headers_too_large'],
    ['has an encoded slash', get('/v1%2ftracks'), 400, 'bad_request'],
    ['has an empty segment', get('/v1//tracks'), 400, 'bad_request'],
    ['has an encoded NUL', get('/v1/a%00b'), 400, 'bad_request'],
    [
      'has an unsupported transfer coding',
      head('POST /v1/tracks', 'Transfer-Encoding: gzip, chunked'),
      400,
      'bad_request',
    ],
    [
      'has an unknown expectation',
      head('POST /v1/tracks', 'Expect: x', 'Content-Length: 0'),
      417,
      'expectation_failed',
    ],
    ['is TRACE', head('TRACE /v1/tracks'), 405, 'method_not_allowed'],
    [
      'is GET with a body, which fetch cannot send',
      `${head('GET /v1/tracks', 'Content-Length: 3')}abc`,
      400,
      'bad_request',
    ],
    [
      'has a different spelling of a native-only path',
      get('/v1/%77ebhooks/x'),
      501,
      'native_route_not_implemented',
    ],
  ])('is rejected if it %s', async (_, message, status, error) => {
    const before = gateway.core.requests.length
    const response = await sendRaw(port(), message)
    expect([response.status, JSON.parse(response.body).error]).toEqual([status, error])
    expect(response.header('x-service-proxy-fallback')).toBe('0')
    expect(gateway.core.requests.length).toBe(before)
  })

  it.each(['GET', 'HEAD'])('gets a request id that is logged, and no body for HEAD: %s', async (method) => {
    const response = await sendRaw(port(), head(`${method} /v1//tracks`), method)
    expect(response.status).toBe(400)
    expect(response.body).toBe(method === 'HEAD' ? '' : JSON.stringify(errorBody('bad_request')))
    const requestId = response.header('x-request-id') ?? ''
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
    await expect
      .poll(() => worker.logLines().filter((line) => line.includes(requestId)))
      .toEqual([expect.stringContaining('"request rejected"')])
  })

  it("does not open the core's circuit breaker", async () => {
    for (let round = 0; round < 6; round++) {
      await sendRaw(port(), `${head('GET /v1/tracks', 'Content-Length: 3')}abc`)
    }
    expect((await sendRaw(port(), get('/v1/tracks'))).status).toBe(200)
  })
})

it.each([
  ['of known length', 'Content-Length: 2000000', 'abc'],
  ['of unknown length', 'Transfer-Encoding: chunked', '3\r\nabc\r\n'],
])(
  'an upload %s that its client breaks off does not reach the core as a complete one',
  async (_, framing, start) => {
    const before = gateway.core.requests.length
    // More than the failures that would open the circuit breaker.
    for (let round = 1; round <= 6; round++) {
      gateway.core.nextReplies.push(() => {})
      const client = await openRawClient(port())
      client.send(`${head('POST /v1/tracks', framing)}${start}`)
      await expect.poll(() => gateway.core.requests.length).toBe(before + round)
      client.socket.destroy()
      await expect(gateway.core.requests.at(-1)?.body).rejects.toThrow('the connection ended inside the body')
    }
    expect((await sendRaw(port(), get('/v1/tracks'))).status).toBe(200)
  },
)

describe('an invalid core response to a Worker', () => {
  const ok200 = 'HTTP/1.1 200 OK\r\n'

  // The runtime rejects some of these without giving a reason, so the gateway reports an unavailable core.
  it.each<[name: string, response: string, status: number]>([
    [
      'has an unknown transfer coding',
      `${ok200}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
      502,
    ],
    ['is chunked twice', `${ok200}Transfer-Encoding: chunked, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`, 502],
    [
      'has a length and a chunked body',
      `${ok200}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
      502,
    ],
    ['has a control character', `${ok200}X: a\x01b\r\nContent-Length: 2\r\n\r\nok`, 502],
    [
      'switches protocols without a request',
      'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      502,
    ],
    ['has an invalid status', 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok', 502],
    ['has two Content-Length headers', `${ok200}Content-Length: 2\r\nContent-Length: 5\r\n\r\nokabc`, 503],
    ['has a folded header', `${ok200}X: a\r\n b\r\nContent-Length: 2\r\n\r\nok`, 503],
    ['has a NUL', `${ok200}X: a\0b\r\nContent-Length: 2\r\n\r\nok`, 503],
  ])('causes an error response if it %s', async (_, text, status) => {
    gateway.core.nextReplies.push(bytes(text))
    expect((await sendRaw(port(), get('/v1/tracks'))).status).toBe(status)
    const next = await sendRaw(port(), get('/v1/tracks'))
    expect([next.status, next.body]).toEqual([200, 'ok'])
  })
})

describe('a response that a Worker forwards', () => {
  it("has the core's body bytes, even if compressed", async () => {
    const compressed = gzipSync('{"records":[]}').toString('latin1')
    gateway.core.nextReplies.push(
      bytes(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${compressed.length}\r\n\r\n${compressed}`,
      ),
    )
    const response = await sendRaw(port(), get('/v1/tracks', 'Accept-Encoding: gzip'))
    expect(response.header('content-encoding')).toBe('gzip')
    expect(response.body).toBe(compressed)
  })

  it("has the core's headers, except those only the gateway may set", async () => {
    gateway.core.nextReplies.push(
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
    const response = await sendRaw(port(), get('/v1/tracks'))
    expect(response.status).toBe(302)
    expect(
      response.headers.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, v]) => v),
    ).toEqual(['a=1', 'b=2'])
    expect(response.header('location')).toBe('https://api.example/v1/tracks/1')
    expect(response.header('etag')).toBe('"x"')
    expect(response.header('cache-control')).toBe('private')
    expect(response.header('x-service-native-route')).toBe('tracks.list')
    expect(response.header('x-service-core-runtime')).toBe('proxy')
  })

  it('becomes a 504 if the core does not respond', async () => {
    gateway.core.nextReplies.push(() => {})
    const response = await worker.request('GET', '/v1/tracks')
    expect(response).toMatchObject({ status: 504, body: { error: 'core_timeout' } })
    expect(response.headers.get('x-service-core-runtime')).toBe('proxy')
    expect(response.headers.get('x-service-native-route')).toBe('tracks.list')
  })

  it('is aborted when the core aborts its response', async () => {
    gateway.core.nextReplies.push((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')
      setTimeout(() => socket.destroy(), 50)
    })
    const client = await openRawClient(port())
    client.send(get('/v1/tracks'))
    expect(await client.receiveResponse()).toMatchObject({ status: 200, complete: false })
    client.socket.destroy()
  })
})

describe('a request to a Worker whose client disconnects before the core has responded', () => {
  it('is logged with 499, and not as a failure of the core', async () => {
    const before = gateway.core.requests.length
    gateway.core.nextReplies.push(() => {})
    const client = await openRawClient(port())
    client.send(get('/v1/tracks', 'X-Request-Id: req-left'))
    await expect.poll(() => gateway.core.requests.length).toBe(before + 1)
    // The runtime takes a closed side for a half-closed connection, and notices only a reset.
    client.socket.resetAndDestroy()
    const readLines = () =>
      worker
        .logLines()
        .filter((line) => line.includes('req-left'))
        .map((line): Record<string, unknown> => JSON.parse(line))
    await expect.poll(readLines).toEqual([expect.objectContaining({ runtime: 'proxy', status: 499 })])
    expect(readLines()[0]).not.toHaveProperty('error')
  })
})

describe('a Worker that loses its database', () => {
  const relayed = startTestGateway({ control: 'fixed', core: 'recording', throughRelay: true })
  const offlineWorker = startTestWorker(relayed, { BODY_LIMIT_BYTES: '100' })
  beforeAll(async () => {
    const { token } = await relayed.signUp()
    // This request reads the routing state. Without that state, the core would serve the routes, which does not count
    // as a fallback.
    expect(await offlineWorker.request('GET', '/v1/libraries', { token })).toMatchObject({ status: 200 })
    relayed.relay.setUnavailable(true)
  })

  it('falls back to the core for a request that had no native effect', async () => {
    const { token } = await relayed.signUp()
    const response = await offlineWorker.request('POST', '/v1/libraries', { token, body: { name: 'Demos' } })
    expect(response).toMatchObject({ status: 200, body: 'ok' })
    expect(response.headers.get('x-service-core-runtime')).toBe('proxy')
    expect(response.headers.get('x-service-native-route')).toBe('libraries.create')
    expect(response.headers.get('x-service-proxy-fallback')).toBe('1')
    const sent = await relayed.core.requests.at(-1)?.body
    expect(JSON.parse(String(sent))).toEqual({ name: 'Demos' })
  })

  it.each([
    [99, 200, 'proxy', 1],
    [101, 413, 'native', 0],
  ])('applies the body limit to a fallback: %i bytes', async (length, status, runtime, forwarded) => {
    const { token } = await relayed.signUp()
    const before = relayed.core.requests.length
    const body = JSON.stringify({ name: 'x'.repeat(length - 11) })
    const response = await offlineWorker.request('PATCH', '/v1/libraries/library', { token, body })
    expect([response.status, response.headers.get('x-service-core-runtime')]).toEqual([status, runtime])
    expect(relayed.core.requests.length).toBe(before + forwarded)
  })
})

describe('a Worker that has never reached its database', () => {
  const offlineWorker = startTestWorker(gateway, {
    DATABASE_URL: 'postgres://user:none@127.0.0.1:1/none',
    GATEWAY_ROUTES: 'libraries.*=native',
  })

  it('forwards what the core can serve, because it cannot rule out a stored kill', async () => {
    const { token } = await gateway.signUp()
    const { headers } = await offlineWorker.request('GET', '/v1/libraries', { token })
    expect(headers.get('x-service-core-runtime')).toBe('proxy')
    expect(headers.get('x-service-proxy-fallback')).toBe('0')
  })

  it('stays ready, because other instances share the database', async () => {
    expect(await offlineWorker.request('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ready' },
    })
    const { INTERNAL_TOKEN: token = '' } = gateway.environment
    expect(await offlineWorker.request('GET', '/readyz', { token })).toMatchObject({
      status: 200,
      body: { status: 'ready', database: 'down', routing: 'unknown' },
    })
  })
})
