import { describe, expect, it, onTestFinished } from 'vitest'
import { createCircuitBreaker } from '#proxy/circuit-breaker.ts'
import type { CoreRequest } from '#proxy/core-request.ts'
import { createFetchTransport, type FetchTransportOptions } from '#proxy/fetch/transport-fetch.ts'
import { parseTrustedProxies, resolveClientOrigin } from '#proxy/headers/client-origin.ts'
import { progressLimits } from '#test/support/progress-limits.ts'
import { bytes, type Reply, replyOk, startRawCore } from '#test/support/raw-core.ts'

const peer = { address: '203.0.113.7', encrypted: true, host: 'api.example' }

const coreRequest: CoreRequest = {
  method: 'GET',
  target: '/v1/tracks?x=1',
  body: null,
  requestId: 'req_1',
  trace: null,
  bodyStart: null,
  route: 'unmatched',
  responseHeaders: ['x-service-core-runtime', 'proxy'],
  retryable: true,
  client: resolveClientOrigin([], peer, parseTrustedProxies([])),
  replacesCors: false,
  replacedHeaders: null,
}

const startFetching = async (reply: Reply = replyOk, options: Partial<FetchTransportOptions> = {}) => {
  const core = await startRawCore(reply)
  onTestFinished(() => core.close())
  const transport = createFetchTransport({
    coreBaseUrl: core.url,
    viaPseudonym: 'crossfade-test',
    ...options,
  })
  const forward = (init: RequestInit = {}, change: Partial<CoreRequest> = {}) =>
    transport.forward(new Request('https://api.example/v1/tracks?x=1', init), {
      ...coreRequest,
      ...change,
    })
  return { core, transport, forward }
}

const expectResponse = (outcome: Awaited<ReturnType<ReturnType<typeof createFetchTransport>['forward']>>) => {
  if (!(outcome instanceof Response)) throw new Error(`failed: ${JSON.stringify(outcome)}`)
  return outcome
}

describe('forwarding by fetch', () => {
  it('applies the same request header rules as on Node', async () => {
    const { core, forward } = await startFetching()
    const headers = {
      authorization: 'Bearer t',
      'x-service-shadow': '1',
      'x-forwarded-for': '1.2.3.4',
      x_a: '1',
    }
    expect(await expectResponse(await forward({ headers })).text()).toBe('ok')
    const [request] = core.requests
    expect(request?.head.split('\r\n')[0]).toBe('GET /v1/tracks?x=1 HTTP/1.1')
    const sent = Object.fromEntries(request?.headers ?? [])
    expect(sent).toMatchObject({
      authorization: 'Bearer t',
      via: '1.1 crossfade-test',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'api.example',
      'x-request-id': 'req_1',
    })
    expect(Object.keys(sent)).not.toEqual(expect.arrayContaining(['x-service-shadow']))
    expect(Object.keys(sent)).not.toEqual(expect.arrayContaining(['x_a']))
  })

  it('applies the same response header rules as on Node, and keeps Set-Cookie headers separate', async () => {
    const { forward } = await startFetching((socket, request) => {
      const location = `http://${request.headers.find(([name]) => name.toLowerCase() === 'host')?.[1]}/v1/there`
      socket.write(
        `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Service-Core-Runtime: native\r\nContent-Length: 0\r\n\r\n`,
      )
    })
    const { status, headers } = expectResponse(await forward())
    expect(status).toBe(302)
    expect(headers.get('location')).toBe('/v1/there')
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-service-core-runtime')).toBe('proxy')
  })

  it("drops the core's version of each header that the gateway replaces, except Set-Cookie", async () => {
    const { forward } = await startFetching(
      bytes(
        'HTTP/1.1 200 OK\r\nX-Frame-Options: DENY\r\nSet-Cookie: a=1\r\nETag: "x"\r\nContent-Length: 0\r\n\r\n',
      ),
    )
    const { headers } = expectResponse(
      await forward(
        {},
        {
          responseHeaders: ['x-frame-options', 'SAMEORIGIN', 'set-cookie', 'b=2'],
          replacedHeaders: new Set(['x-frame-options', 'set-cookie']),
        },
      ),
    )
    expect([headers.get('x-frame-options'), headers.get('etag')]).toEqual(['SAMEORIGIN', '"x"'])
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('sends a buffered body with its Content-Length and a streamed one in chunks', async () => {
    const { core, forward } = await startFetching((socket, request) => {
      request.body.then(() => replyOk(socket, request))
    })
    const body = new TextEncoder().encode('{"a":1}')
    await forward({ method: 'POST', body }, { method: 'POST', body })
    await forward({ method: 'POST', body }, { method: 'POST', body: 'stream' })
    expect((await core.requests[0]?.body)?.toString()).toBe('{"a":1}')
    expect(Object.fromEntries(core.requests[0]?.headers ?? [])).toMatchObject({ 'content-length': '7' })
    expect((await core.requests[1]?.body)?.toString()).toBe('{"a":1}')
    expect(Object.fromEntries(core.requests[1]?.headers ?? [])).toMatchObject({
      'transfer-encoding': 'chunked',
    })
  })

  it.each([
    ['HEAD', bytes('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'), 200],
    ['GET', bytes('HTTP/1.1 204 No Content\r\n\r\n'), 204],
    ['GET', bytes('HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n'), 304],
  ])('returns no body for %s with status %i', async (method, reply, status) => {
    const { forward } = await startFetching(reply)
    const response = expectResponse(await forward({ method }, { method }))
    expect([response.status, response.body]).toEqual([status, null])
  })

  it('times out when the core sends no response', async () => {
    const { core, forward } = await startFetching(() => {}, { timeoutMs: 100 })
    expect(await forward()).toEqual({ kind: 'failed', code: 'core_timeout' })
    expect(core.requests).toHaveLength(1)
  })

  it('times out when the client pauses partway through its body', async () => {
    const { forward } = await startFetching(() => {}, {
      bodyProgress: progressLimits({ pauseTimeoutMs: 100 }),
      timeoutMs: 5000,
    })
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(3)) })
    const init = { method: 'POST', body, duplex: 'half' }
    expect(await forward(init, { method: 'POST', body: 'stream' })).toEqual({
      kind: 'failed',
      code: 'request_timeout',
    })
  })

  it('times out when the client sends its body too slowly on average', async () => {
    const bodyProgress = progressLimits({ gracePeriodMs: 100, minBytesPerS: 1000 })
    const { forward } = await startFetching(() => {}, { bodyProgress, timeoutMs: 5000 })
    const body = new ReadableStream({
      pull: async (controller) => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        controller.enqueue(new Uint8Array(1))
      },
    })
    const init = { method: 'POST', body, duplex: 'half' }
    expect(await forward(init, { method: 'POST', body: 'stream' })).toEqual({
      kind: 'failed',
      code: 'request_timeout',
    })
  })

  it('fails with core_unavailable when the core cannot be reached, then opens the breaker', async () => {
    let now = 0
    const { core, forward, transport } = await startFetching(replyOk, {
      breaker: createCircuitBreaker({ now: () => now }),
    })
    expect(await transport.readCoreState()).toBe('up')
    await core.close()
    for (let time = 0; time < 5; time++)
      expect(await forward()).toEqual({ kind: 'failed', code: 'core_unavailable' })
    expect(await forward()).toEqual({ kind: 'failed', code: 'core_unavailable', retryAfterS: 1 })
    expect(await transport.readCoreState()).toBe('down')
    // The circuit breaker is half-open: it would admit a probe, but has no result of one yet.
    now = 60_000
    expect(await transport.readCoreState()).toBe('down')
  })

  it('blames neither the core nor its breaker when the client disconnects before the response', async () => {
    const { core, forward, transport } = await startFetching(() => {})
    for (let time = 0; time < 6; time++) {
      const client = new AbortController()
      const forwarding = forward({ signal: client.signal })
      await expect.poll(() => core.requests.length).toBe(time + 1)
      client.abort()
      expect(await forwarding).toEqual({ kind: 'client-gone' })
    }
    expect(await transport.readCoreState()).toBe('up')
  })

  it('does not count a body that its client breaks off as a failure of the core', async () => {
    const { forward, transport } = await startFetching((socket, request) => {
      if (request.method === 'GET') replyOk(socket, request)
    })
    for (let time = 0; time < 6; time++) {
      const chunks = [new Uint8Array(3)]
      const body = new ReadableStream({
        pull(controller) {
          const chunk = chunks.pop()
          if (chunk) controller.enqueue(chunk)
          else controller.error(new Error('the client has disconnected'))
        },
      })
      const init = { method: 'POST', body, duplex: 'half' }
      expect(await forward(init, { method: 'POST', body: 'stream' })).toEqual({
        kind: 'failed',
        code: 'bad_request',
      })
    }
    expect(await transport.readCoreState()).toBe('up')
    expect(expectResponse(await forward()).status).toBe(200)
  })

  it('fails with loop_detected for a request that has already passed through this deployment', async () => {
    const { core, forward } = await startFetching()
    expect(await forward({ headers: { via: '1.1 crossfade-test' } })).toEqual({
      kind: 'failed',
      code: 'loop_detected',
    })
    expect(core.requests).toHaveLength(0)
  })
})
