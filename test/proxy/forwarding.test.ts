import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { get, openRawClient, post, sendRaw } from '#test/support/raw-client.ts'
import { bytes, type SeenRequest } from '#test/support/raw-core.ts'
import { coreBehindGateway, startForwardingGateway } from './forwarding-gateway.ts'

const namesOf = (request: SeenRequest | undefined) => request?.headers.map(([name]) => name)

const answerOf = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n')

describe('forwarding a request', () => {
  it('sends the same target, method, headers and body on', async () => {
    const { core, port } = await coreBehindGateway()
    await sendRaw(
      port,
      post(
        '/v1/tracks?x=%zz&y=[1]',
        '{"a":1}',
        'X-Case: Kept',
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
      'X-Case: Kept',
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

  it('sends the spelling of a path on that was routed', async () => {
    const { core, port } = await coreBehindGateway()
    await sendRaw(port, get('http://api.example/v1/%74racks/%c3%a9?q=%74'))
    expect(core.requests[0]?.target).toBe('/v1/tracks/%C3%A9?q=%74')
  })

  it('keeps bytes beyond ASCII in headers as they are', async () => {
    const { core, port } = await coreBehindGateway(bytes(answerOf('X-B: \xe9\xff', 'Content-Length: 0')))
    const answer = await sendRaw(port, get('/v1/tracks', 'X-A: \xfc\x80'))
    expect(core.requests[0]?.headers).toContainEqual(['X-A', '\xfc\x80'])
    expect(answer.header('x-b')).toBe('\xe9\xff')
  })

  it('uses the connection again', async () => {
    const { core, port } = await coreBehindGateway()
    const client = await openRawClient(port)
    for (let round = 0; round < 5; round++) {
      client.send(get('/v1/tracks'))
      await client.answer()
    }
    expect(core.received).toHaveLength(1)
    client.socket.destroy()
  })

  it('answers pipelined requests in their order', async () => {
    const { core, port } = await coreBehindGateway((socket, { target }) => {
      setTimeout(
        () => socket.write(answerOf(`Content-Length: ${target.length}`) + target),
        target === '/v1/slow' ? 40 : 0,
      )
    })
    const client = await openRawClient(port)
    client.send(get('/v1/slow') + get('/v1/fast'))
    expect([(await client.answer()).body, (await client.answer()).body]).toEqual(['/v1/slow', '/v1/fast'])
    expect(core.requests).toHaveLength(2)
    client.socket.destroy()
  })

  it('does not offer an upgrade to the core', async () => {
    const { core, port } = await coreBehindGateway()
    const upgrade = get(
      '/v1/tracks',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQ',
    )
    expect((await sendRaw(port, upgrade)).status).toBe(200)
    expect(namesOf(core.requests[0])).toEqual([
      'host',
      'connection',
      'via',
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-forwarded-host',
      'x-request-id',
    ])
  })

  it('refuses one that came from this deployment, and not one of another gateway', async () => {
    const { core, port } = await coreBehindGateway()
    const looped = await sendRaw(port, get('/v1/tracks', 'Via: 1.1 lb, 1.1 crossfade-test'))
    expect([looped.status, JSON.parse(looped.body)]).toEqual([508, { error: 'loop_detected' }])
    expect((await sendRaw(port, get('/v1/tracks', 'Via: 1.1 crossfade-other'))).status).toBe(200)
    expect(core.requests).toHaveLength(1)
  })

  it('ends a loop in which the gateway is its own core', async () => {
    const { core, gateway } = await coreBehindGateway()
    const outer = await startForwardingGateway(`http://127.0.0.1:${gateway.port}`)
    expect((await sendRaw(outer.port, get('/v1/tracks'))).status).toBe(508)
    expect(core.requests).toHaveLength(0)
    await outer.close()
  })
})

describe('a request that undici would not send', () => {
  it('is a bad request and no fault of the core', async () => {
    const { core, gateway, port } = await coreBehindGateway()
    for (let round = 0; round < 6; round++) {
      expect((await sendRaw(port, get('/v1/tracks', 'X-A: a\x01b'))).status).toBe(400)
    }
    expect(await gateway.transport.isReachable()).toBe(true)
    expect(core.requests).toHaveLength(0)
  })
})

describe('the address of the core', () => {
  it.each([
    'http://core.example/base',
    'ftp://core.example',
    'http://user:secret@core.example',
    'http://core.example?x',
    'core',
  ])('is refused at the start: %s', async (coreUrl) => {
    await expect(startForwardingGateway(coreUrl)).rejects.toThrow(TypeError)
  })
})

describe('forwarding an answer', () => {
  it('passes status, headers and body on, with the stamp last', async () => {
    const { port } = await coreBehindGateway(
      bytes(
        `${answerOf(
          'Set-Cookie: a=1',
          'ETag: "x"',
          'set-cookie: b=2',
          'X-Service-Native-Route: forged',
          'Date: Thu, 01 Jan 2026 00:00:00 GMT',
          'Content-Length: 2',
        )}ok`,
      ),
    )
    const answer = await sendRaw(port, get('/v1/tracks'))
    expect(answer.headers).toEqual([
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

  it('drops headers of the core that the gateway replaces', async () => {
    const { port } = await coreBehindGateway(
      bytes(answerOf('X-Frame-Options: DENY', 'ETag: "x"', 'Content-Length: 0')),
      { replacedHeaders: new Set(['x-frame-options']) },
    )
    const answer = await sendRaw(port, get('/v1/tracks'))
    expect([answer.header('x-frame-options'), answer.header('etag')]).toEqual([undefined, '"x"'])
  })

  it('does not touch a compressed body', async () => {
    const zipped = gzipSync('text '.repeat(50)).toString('latin1')
    const { core, port } = await coreBehindGateway(
      bytes(answerOf('Content-Encoding: gzip', `Content-Length: ${zipped.length}`) + zipped),
    )
    const answer = await sendRaw(port, get('/v1/tracks', 'Accept-Encoding: gzip'))
    expect(answer.body).toBe(zipped)
    expect(core.requests[0]?.headers).toContainEqual(['Accept-Encoding', 'gzip'])
  })

  it('passes a range on', async () => {
    const { core, port } = await coreBehindGateway(
      bytes(
        'HTTP/1.1 206 Partial Content\r\nAccept-Ranges: bytes\r\nContent-Range: bytes 2-3/9\r\nContent-Length: 2\r\n\r\ncd',
      ),
    )
    const answer = await sendRaw(port, get('/v1/tracks', 'Range: bytes=2-3', 'If-Range: "x"'))
    expect(answer).toMatchObject({ status: 206, body: 'cd' })
    expect(answer.header('content-range')).toBe('bytes 2-3/9')
    expect(core.requests[0]?.headers).toEqual(
      expect.arrayContaining([
        ['Range', 'bytes=2-3'],
        ['If-Range', '"x"'],
      ]),
    )
  })

  it('passes a redirect on and takes the authorization nowhere', async () => {
    const { core, port } = await coreBehindGateway((socket, request) => {
      socket.write(
        `HTTP/1.1 302 Found\r\nLocation: http://${request.headers[0]?.[1]}/v1/there\r\nContent-Length: 0\r\n\r\n`,
      )
    })
    const answer = await sendRaw(port, get('/v1/tracks', 'Authorization: Bearer t'))
    expect([answer.status, answer.header('location')]).toEqual([302, 'http://api.example/v1/there'])
    expect(core.requests).toHaveLength(1)
  })

  it('keeps the length of a HEAD', async () => {
    const { port } = await coreBehindGateway(bytes(answerOf('Content-Length: 1234')))
    const answer = await sendRaw(port, get('/v1/tracks').replace('GET', 'HEAD'), 'HEAD')
    expect([answer.header('content-length'), answer.header('transfer-encoding')]).toEqual(['1234', undefined])
  })

  it.each([204, 304])('has no body with %i', async (status) => {
    const { port } = await coreBehindGateway(bytes(`HTTP/1.1 ${status} X\r\nETag: "x"\r\n\r\n`))
    const client = await openRawClient(port)
    for (let round = 0; round < 2; round++) {
      client.send(get('/v1/tracks'))
      const answer = await client.answer()
      expect([answer.status, answer.header('etag'), answer.header('transfer-encoding')]).toEqual([
        status,
        '"x"',
        undefined,
      ])
    }
    client.socket.destroy()
  })

  it('drops trailers', async () => {
    const { port } = await coreBehindGateway(
      bytes(`${answerOf('Transfer-Encoding: chunked', 'Trailer: X-Sum')}2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n`),
    )
    const client = await openRawClient(port)
    client.send(get('/v1/tracks', 'TE: trailers'))
    expect((await client.answer()).body).toBe('ok')
    expect(client.text().toLowerCase()).not.toContain('x-sum')
    client.socket.destroy()
  })

  it('is whole for a client of HTTP/1.0, to which it is not sent in chunks', async () => {
    const { port } = await coreBehindGateway(
      bytes(`${answerOf('Transfer-Encoding: chunked')}2\r\nok\r\n0\r\n\r\n`),
    )
    const answer = await sendRaw(port, 'GET /v1/tracks HTTP/1.0\r\n\r\n')
    expect([answer.body, answer.header('transfer-encoding')]).toEqual(['ok', undefined])
  })
})
