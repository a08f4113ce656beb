import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { get, openRawClient, post, sendRaw } from '#test/support/raw-client.ts'
import { bytes, type ReceivedRequest } from '#test/support/raw-core.ts'
import { startCoreAndGateway, startForwardingGateway } from './forwarding-gateway.ts'

const headerNames = (request: ReceivedRequest | undefined) => request?.headers.map(([name]) => name)

const formatHead = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n')

describe('forwarding a request', () => {
  it('sends the same target, method, headers and body to the core', async () => {
    const { core, port } = await startCoreAndGateway()
    await sendRaw(
      port,
      post(
        '/v1/tracks?x=%zz&y=[1]',
        '{"a":1}',
        'X-Case: Same',
        'Accept: a',
        'accept: b',
        'Authorization: Bearer t',
      ),
    )
    const [request] = core.requests
    expect(request?.head.split('\r\n')).toEqual([
      'POST /v1/tracks?x=%zz&y=[1] HTTP/1.1',
      `host: 127.0.0.1:${core.port}`,
      'connection: keep-alive',
      'X-Case: Same',
      'Accept: a',
      'accept: b',
      'Authorization: Bearer t',
      'via: 1.1 crossfade-test',
      'x-forwarded-for: 127.0.0.1',
      'x-forwarded-proto: http',
      'x-forwarded-host: api.example',
      'x-request-id: req_1',
      'content-length: 7',
    ])
    expect((await request?.body)?.toString()).toBe('{"a":1}')
  })

  it('sends the core the same canonical path that was used for routing', async () => {
    const { core, port } = await startCoreAndGateway()
    await sendRaw(port, get('http://api.example/v1/%74racks/%c3%a9?q=%74'))
    expect(core.requests[0]?.target).toBe('/v1/tracks/%C3%A9?q=%74')
  })

  it('forwards non-ASCII bytes in headers unchanged', async () => {
    const { core, port } = await startCoreAndGateway(bytes(formatHead('X-B: \xe9\xff', 'Content-Length: 0')))
    const response = await sendRaw(port, get('/v1/tracks', 'X-A: \xfc\x80'))
    expect(core.requests[0]?.headers).toContainEqual(['X-A', '\xfc\x80'])
    expect(response.header('x-b')).toBe('\xe9\xff')
  })

  it('reuses the connection to the core', async () => {
    const { core, port } = await startCoreAndGateway()
    const client = await openRawClient(port)
    for (let round = 0; round < 5; round++) {
      client.send(get('/v1/tracks'))
      await client.receiveResponse()
    }
    expect(core.received).toHaveLength(1)
    client.socket.destroy()
  })

  it('returns responses to pipelined requests in order', async () => {
    const { core, port } = await startCoreAndGateway((socket, { target }) => {
      setTimeout(
        () => socket.write(formatHead(`Content-Length: ${target.length}`) + target),
        target === '/v1/slow' ? 40 : 0,
      )
    })
    const client = await openRawClient(port)
    client.send(get('/v1/slow') + get('/v1/fast'))
    expect([(await client.receiveResponse()).body, (await client.receiveResponse()).body]).toEqual([
      '/v1/slow',
      '/v1/fast',
    ])
    expect(core.requests).toHaveLength(2)
    client.socket.destroy()
  })

  it('does not forward an upgrade', async () => {
    const { core, port } = await startCoreAndGateway()
    const upgrade = get(
      '/v1/tracks',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQ',
    )
    expect((await sendRaw(port, upgrade)).status).toBe(200)
    expect(headerNames(core.requests[0])).toEqual([
      'host',
      'connection',
      'via',
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-forwarded-host',
      'x-request-id',
    ])
  })

  it('returns 508 for a request that came through this deployment, but forwards one from another deployment', async () => {
    const { core, port } = await startCoreAndGateway()
    const looped = await sendRaw(port, get('/v1/tracks', 'Via: 1.1 lb, 1.1 crossfade-test'))
    expect([looped.status, JSON.parse(looped.body)]).toEqual([508, errorBody('loop_detected')])
    expect((await sendRaw(port, get('/v1/tracks', 'Via: 1.1 crossfade-other'))).status).toBe(200)
    expect(core.requests).toHaveLength(1)
  })

  it('returns 508 for a request that another gateway of this deployment has forwarded', async () => {
    const { core, gateway } = await startCoreAndGateway()
    const outer = await startForwardingGateway(`http://127.0.0.1:${gateway.port}`)
    expect((await sendRaw(outer.port, get('/v1/tracks'))).status).toBe(508)
    expect(core.requests).toHaveLength(0)
    await outer.close()
  })
})

describe('a request that undici rejects', () => {
  it('gets 400 and does not count as a core failure', async () => {
    const { core, gateway, port } = await startCoreAndGateway()
    for (let round = 0; round < 6; round++) {
      expect((await sendRaw(port, get('/v1/tracks', 'X-A: a\x01b'))).status).toBe(400)
    }
    expect(await gateway.transport.readCoreState()).toBe('up')
    expect(core.requests).toHaveLength(0)
  })
})

describe("the core's URL", () => {
  it.each([
    'http://core.example/base',
    'ftp://core.example',
    'http://user:secret@core.example',
    'http://core.example?x',
    'core',
  ])('causes a TypeError if it is not an origin: %s', async (coreUrl) => {
    await expect(startForwardingGateway(coreUrl)).rejects.toThrow(TypeError)
  })
})

describe('forwarding a response', () => {
  it('forwards status, headers and body, then adds the service headers', async () => {
    const { port } = await startCoreAndGateway(
      bytes(
        `${formatHead(
          'Set-Cookie: a=1',
          'ETag: "x"',
          'set-cookie: b=2',
          'X-Service-Native-Route: forged',
          'Date: Thu, 01 Jan 2026 00:00:00 GMT',
          'Content-Length: 2',
        )}ok`,
      ),
    )
    const response = await sendRaw(port, get('/v1/tracks'))
    expect(response.headers).toEqual([
      ['Set-Cookie', 'a=1'],
      ['ETag', '"x"'],
      ['set-cookie', 'b=2'],
      ['Date', 'Thu, 01 Jan 2026 00:00:00 GMT'],
      ['Content-Length', '2'],
      ['cache-control', 'no-store'],
      ['x-service-core-runtime', 'proxy'],
      ['x-service-native-route', 'unmatched'],
      ['x-service-proxy-fallback', '0'],
      ['Connection', 'keep-alive'],
      ['Keep-Alive', 'timeout=75'],
    ])
  })

  it("drops the core's version of each header that the gateway replaces", async () => {
    const { port } = await startCoreAndGateway(
      bytes(formatHead('X-Frame-Options: DENY', 'ETag: "x"', 'Content-Length: 0')),
      { replacedHeaders: new Set(['x-frame-options']) },
    )
    const response = await sendRaw(port, get('/v1/tracks'))
    expect([response.header('x-frame-options'), response.header('etag')]).toEqual([undefined, '"x"'])
  })

  it('forwards a compressed body unchanged', async () => {
    const zipped = gzipSync('text '.repeat(50)).toString('latin1')
    const { core, port } = await startCoreAndGateway(
      bytes(formatHead('Content-Encoding: gzip', `Content-Length: ${zipped.length}`) + zipped),
    )
    const response = await sendRaw(port, get('/v1/tracks', 'Accept-Encoding: gzip'))
    expect(response.body).toBe(zipped)
    expect(core.requests[0]?.headers).toContainEqual(['Accept-Encoding', 'gzip'])
  })

  it('forwards a range request and the partial response', async () => {
    const { core, port } = await startCoreAndGateway(
      bytes(
        'HTTP/1.1 206 Partial Content\r\nAccept-Ranges: bytes\r\nContent-Range: bytes 2-3/9\r\nContent-Length: 2\r\n\r\ncd',
      ),
    )
    const response = await sendRaw(port, get('/v1/tracks', 'Range: bytes=2-3', 'If-Range: "x"'))
    expect(response).toMatchObject({ status: 206, body: 'cd' })
    expect(response.header('content-range')).toBe('bytes 2-3/9')
    expect(core.requests[0]?.headers).toEqual(
      expect.arrayContaining([
        ['Range', 'bytes=2-3'],
        ['If-Range', '"x"'],
      ]),
    )
  })

  it('forwards a redirect and does not follow it', async () => {
    const { core, port } = await startCoreAndGateway((socket, request) => {
      socket.write(
        `HTTP/1.1 302 Found\r\nLocation: http://${request.headers[0]?.[1]}/v1/there\r\nContent-Length: 0\r\n\r\n`,
      )
    })
    const response = await sendRaw(port, get('/v1/tracks', 'Authorization: Bearer t'))
    expect([response.status, response.header('location')]).toEqual([302, '/v1/there'])
    expect(core.requests).toHaveLength(1)
  })

  it('forwards the Content-Length of a HEAD response', async () => {
    const { port } = await startCoreAndGateway(bytes(formatHead('Content-Length: 1234')))
    const response = await sendRaw(port, get('/v1/tracks').replace('GET', 'HEAD'), 'HEAD')
    expect([response.header('content-length'), response.header('transfer-encoding')]).toEqual([
      '1234',
      undefined,
    ])
  })

  it.each([204, 304])('sends no body with status %i', async (status) => {
    const { port } = await startCoreAndGateway(bytes(`HTTP/1.1 ${status} X\r\nETag: "x"\r\n\r\n`))
    const client = await openRawClient(port)
    for (let round = 0; round < 2; round++) {
      client.send(get('/v1/tracks'))
      const response = await client.receiveResponse()
      expect([response.status, response.header('etag'), response.header('transfer-encoding')]).toEqual([
        status,
        '"x"',
        undefined,
      ])
    }
    client.socket.destroy()
  })

  it('drops trailers', async () => {
    const { port } = await startCoreAndGateway(
      bytes(`${formatHead('Transfer-Encoding: chunked', 'Trailer: X-Sum')}2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n`),
    )
    const client = await openRawClient(port)
    client.send(get('/v1/tracks', 'TE: trailers'))
    expect((await client.receiveResponse()).body).toBe('ok')
    expect(client.text().toLowerCase()).not.toContain('x-sum')
    client.socket.destroy()
  })

  it('sends a chunked response to an HTTP/1.0 client without chunked encoding', async () => {
    const { port } = await startCoreAndGateway(
      bytes(`${formatHead('Transfer-Encoding: chunked')}2\r\nok\r\n0\r\n\r\n`),
    )
    const response = await sendRaw(port, 'GET /v1/tracks HTTP/1.0\r\n\r\n')
    expect([response.body, response.header('transfer-encoding')]).toEqual(['ok', undefined])
  })
})
