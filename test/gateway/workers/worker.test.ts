import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createTraceparent } from '#test/support/otlp/traceparent.ts'
import { openRawClient, type RawClient } from '#test/support/raw-client.ts'
import type { TestResponse } from '#test/support/request-at.ts'
import { startTestWorker } from '#test/support/worker.ts'

const gateway = startTestGateway({
  control: 'fixed',
  core: 'sandbox',
  environment: { BODY_LIMIT_BYTES: '2048' },
})
const worker = startTestWorker(gateway, { BODY_MEMORY_BYTES: '4096' })

const selectServiceHeaders = ({ headers }: TestResponse) => ({
  runtime: headers.get('x-service-core-runtime'),
  route: headers.get('x-service-native-route'),
  fallback: headers.get('x-service-proxy-fallback'),
})

const readLogLines = (requestId: string) =>
  worker
    .logLines()
    .filter((line) => line.includes(requestId))
    .map((line): Record<string, unknown> => JSON.parse(line))

describe('the gateway on Workers', () => {
  it('serves consecutive requests to a native route', async () => {
    const { token } = await gateway.signUp()
    for (let round = 0; round < 3; round++) {
      const response = await worker.request('GET', '/v1/libraries', { token })
      expect(response).toMatchObject({ status: 200, body: { records: [] } })
      expect(selectServiceHeaders(response)).toEqual({
        runtime: 'native',
        route: 'libraries.list',
        fallback: '0',
      })
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
  })

  it("does not open a route's breaker when clients disconnect partway through their bodies", async () => {
    const { token } = await gateway.signUp()
    const path = '/v1/libraries'
    for (let round = 0; round < 6; round++) {
      const client = await openRawClient(Number(new URL(worker.origin()).port))
      const authorization = `Authorization: Bearer ${token}`
      client.send(
        `POST ${path} HTTP/1.1\r\nHost: a\r\n${authorization}\r\nX-Request-Id: req-gone\r\nContent-Length: 900\r\n\r\nabc`,
      )
      await new Promise((resolve) => setTimeout(resolve, 100))
      client.socket.destroy()
    }
    const created = await worker.request('POST', path, { token, body: { name: 'Demos' } })
    expect([created.status, selectServiceHeaders(created).runtime]).toEqual([201, 'native'])
    await expect.poll(() => readLogLines('req-gone').map(({ status }) => status)).toEqual(Array(6).fill(499))
  })

  it("limits an isolate's body memory", async () => {
    const { token } = await gateway.signUp()
    const send = () =>
      worker.request('POST', '/v1/libraries', {
        token,
        body: { name: crypto.randomUUID(), pad: 'x'.repeat(1900) },
      })
    const stalled: RawClient[] = []
    const holdMemory = async () => {
      const client = await openRawClient(Number(new URL(worker.origin()).port))
      stalled.push(client)
      client.send(
        `POST /v1/libraries HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Length: 2048\r\n\r\n${'x'.repeat(2040)}`,
      )
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const sendWithStalled = async () => {
      await holdMemory()
      return send()
    }
    await expect.poll(async () => (await sendWithStalled()).status, { timeout: 8000 }).toBe(503)
    const rejected = await send()
    expect([rejected.body, rejected.headers.get('retry-after')]).toEqual([errorBody('gateway_busy'), '1'])
    expect(selectServiceHeaders(rejected).runtime).toBe('native')
    for (const { socket } of stalled) socket.destroy()
    await expect.poll(async () => (await send()).status, { timeout: 8000 }).toBe(201)
  })

  it('serves many native requests concurrently', async () => {
    const { token } = await gateway.signUp()
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => worker.request('GET', '/v1/libraries', { token })),
    )
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  })

  it('writes data that other instances can read', async () => {
    const account = await gateway.signUp()
    const created = await worker.request('POST', '/v1/libraries', {
      token: account.token,
      body: { name: 'Demos' },
    })
    expect(created).toMatchObject({ status: 201, body: { name: 'Demos' } })
    expect(selectServiceHeaders(created)).toEqual({
      runtime: 'native',
      route: 'libraries.create',
      fallback: '0',
    })
    const here = await worker.request('GET', '/v1/libraries', { token: account.token })
    expect(here.body.records).toMatchObject([{ id: created.body.id }])
    expect((await account.get('/v1/libraries')).body).toEqual(here.body)
  })

  it('forwards to the core, with and without a body', async () => {
    const { token } = await gateway.signUp()
    const track = { title: 'Night Drive', artist: 'The Owls' }
    const created = await worker.request('POST', '/v1/tracks', { token, body: track })
    expect(created).toMatchObject({ status: 201, body: track })
    expect(selectServiceHeaders(created)).toEqual({ runtime: 'proxy', route: 'tracks.create', fallback: '0' })
    const listed = await worker.request('GET', '/v1/tracks?limit=1', { token })
    expect(listed).toMatchObject({ status: 200, body: { records: [{ id: created.body.id }] } })
    expect(selectServiceHeaders(listed)).toEqual({ runtime: 'proxy', route: 'tracks.list', fallback: '0' })
  })

  it('streams a body of unknown length to the core', async () => {
    const { token } = await gateway.signUp()
    const text = JSON.stringify({ title: 'Long', artist: 'x'.repeat(280), ignored: 'y'.repeat(4000) })
    const stream = new Blob([text]).stream()
    const response = await fetch(`${worker.origin()}/v1/tracks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ title: 'Long' })
  })

  it.each([
    ['GET', '/v1/libraries', 401, 'unauthorized', 'libraries.list'],
    ['GET', '/nowhere', 404, 'route_not_found', 'unmatched'],
    ['GET', '/v1/catalog-analysis/deeper', 501, 'native_route_not_implemented', 'unmatched'],
    ['DELETE', '/v1/webhooks/billing', 405, 'method_not_allowed', 'unmatched'],
    ['GET', '/v1/libraries/a%2Fb', 400, 'bad_request', 'unmatched'],
  ])('rejects %s %s with %i %s', async (method, path, status, error, route) => {
    const response = await worker.request(method, path)
    expect(response).toMatchObject({ status, body: { error } })
    expect(selectServiceHeaders(response)).toEqual({ runtime: 'native', route, fallback: '0' })
    expect(response.headers.get('x-request-id')).toMatch(/./)
  })

  it('returns 413 for a body above the limit', async () => {
    const { token } = await gateway.signUp()
    const response = await worker.request('POST', '/v1/libraries', {
      token,
      body: { name: 'x'.repeat(3000) },
    })
    expect(response).toMatchObject({ status: 413, body: { error: 'body_too_large' } })
  })

  it("returns 404 for another account's library", async () => {
    const [owner, otherAccount] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const { body } = await owner.post('/v1/libraries', { name: 'Mine' })
    const response = await worker.request('GET', `/v1/libraries/${body.id}`, { token: otherAccount.token })
    expect(response).toMatchObject({ status: 404, body: { error: 'library_not_found' } })
  })

  it.each([
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['GET', '/openapi.json'],
    ['GET', '/v1/libraries'],
    ['HEAD', '/v1/libraries'],
    ['GET', '/v1/libraries/unknown'],
    ['GET', '/v1/tracks'],
    ['HEAD', '/v1/tracks'],
    ['GET', '/v1/tracks/unknown/nonsense'],
    ['PUT', '/v1/analytics/overview'],
  ])('returns the same status, body and service headers for %s %s as Node', async (method, path) => {
    const { token } = await gateway.signUp()
    const [workersResponse, nodeResponse] = await Promise.all([
      worker.request(method, path, { token }),
      gateway.request(method, path, { token }),
    ])
    expect({
      status: workersResponse.status,
      body: workersResponse.body,
      headers: selectServiceHeaders(workersResponse),
    }).toEqual({
      status: nodeResponse.status,
      body: nodeResponse.body,
      headers: selectServiceHeaders(nodeResponse),
    })
  })

  it('links from /docs to the OpenAPI description, because Workers do not serve Swagger UI', async () => {
    const { status, body } = await worker.request('GET', '/docs')
    expect(status).toBe(200)
    expect(body).toContain('/openapi.json')
  })

  it('logs one line per request, without the token or the path', async () => {
    const { token } = await gateway.signUp()
    const requestId = crypto.randomUUID()
    await worker.request('GET', '/v1/tracks?cursor=secret', { token, headers: { 'x-request-id': requestId } })
    await expect.poll(() => readLogLines(requestId)).toHaveLength(1)
    expect(readLogLines(requestId)[0]).toMatchObject({
      level: 'info',
      msg: 'request',
      method: 'GET',
      route: 'tracks.list',
      runtime: 'proxy',
    })
    expect(worker.logLines().join('\n')).not.toMatch(/secret|\/v1\/|Bearer/)
    expect(worker.logLines().join('\n')).not.toContain(token)
  })
})

describe('a Worker without a required setting', () => {
  const misconfigured = startTestWorker(gateway, { GATEWAY_SECRET: '' })

  it('returns 500 and names the setting only in its log', async () => {
    const { traceparent, traceId } = createTraceparent()
    const response = await misconfigured.request('GET', '/v1/libraries', { headers: { traceparent } })
    expect(response).toMatchObject({ status: 500, body: { error: 'internal_error' } })
    expect(selectServiceHeaders(response)).toEqual({ runtime: 'native', route: 'unmatched', fallback: '0' })
    await expect.poll(() => misconfigured.logLines()).toHaveLength(1)
    expect(JSON.parse(misconfigured.logLines()[0] ?? '')).toMatchObject({
      level: 'error',
      msg: 'worker initialization failed',
      version: expect.any(String),
      requestId: response.headers.get('x-request-id'),
      traceId,
      failure: { name: 'SettingsError', reason: expect.stringContaining('GATEWAY_SECRET is missing') },
    })
  })
})
