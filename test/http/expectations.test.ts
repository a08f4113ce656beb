import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, openRawClient, sendRaw } from '#test/support/raw-client.ts'
import { bytes, replyOk } from '#test/support/raw-core.ts'
import { expectValidResponse, head, lines, portOf, replyWhenComplete, wireTests } from './wire.ts'

const gateway = startTestGateway({ core: 'recording' })

const expecting = (target: string, length: number, ...headers: readonly string[]) =>
  head(`POST ${target}`, 'Expect: 100-continue', `Content-Length: ${length}`, ...headers)

// biome-ignore format: a table
wireTests('an expectation', gateway, [
  ['9110 10.1.1', 'of a 100 may come with the body', `${expecting('/v1/tracks', 3)}abc`, [200], 'open', ['POST /v1/tracks abc']],
  ['9110 10.1.1', 'of a 100 may be written in any case', `${head('POST /v1/tracks', 'Expect: 100-CONTINUE', 'Content-Length: 3')}abc`, [200], 'open', ['POST /v1/tracks abc']],
  ['9110 10.1.1', 'of a 100 without a body closes the connection after the response', head('GET /v1/tracks', 'Expect: 100-continue'), [200], 'closed', ['GET /v1/tracks']],
  ['9110 10.1.1', 'of HTTP/1.0 is ignored', `${lines('POST /v1/tracks HTTP/1.0', 'Host: a', 'Expect: 100-continue', 'Content-Length: 3')}abc`, [200], 'closed', ['POST /v1/tracks abc']],
  ['9110 10.1.1', 'an unknown value', head('GET /v1/tracks', 'Expect: 200-ok'), [417], 'closed'],
  ['9110 10.1.1', 'a parameter', `${head('POST /v1/tracks', 'Expect: 100-continue;x=y', 'Content-Length: 3')}abc`, [417], 'closed'],
  ['9110 10.1.1', 'two headers', `${head('POST /v1/tracks', 'Expect: 100-continue', 'Expect: 100-continue', 'Content-Length: 3')}abc`, [417], 'closed'],
  ['9110 10.1.1', 'an unknown value in a list', `${head('POST /v1/tracks', 'Expect: 100-continue, x', 'Content-Length: 3')}abc`, [417], 'closed'],
  ['9110 10.1.1', 'an empty value', head('GET /v1/tracks', 'Expect:'), [417], 'closed'],
  ['9110 10.1.1', 'an invalid target', expecting('/v1/../x', 3), [400], 'closed'],
])

describe('a client that waits for 100 Continue', () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n'

  it.each([
    ['a length', 'Content-Length: 3', 'abc'],
    ['chunks', 'Transfer-Encoding: chunked', '3\r\nabc\r\n0\r\n\r\n'],
  ])('RFC 9110 10.1.1: gets exactly one 100 before it sends a body with %s', async (_, framing, body) => {
    replyWhenComplete(gateway, 1)
    const client = await openRawClient(portOf(gateway))
    client.send(head('POST /v1/tracks', 'Expect: 100-continue', framing))
    await expect.poll(() => client.text()).toBe(interim)
    client.send(body)
    const response = await client.receiveResponse()
    expectValidResponse(response)
    expect([response.status, client.text().split(interim).length]).toEqual([200, 2])
    const received = gateway.core.requests.at(-1)
    expect((await received?.body)?.toString()).toBe('abc')
    expect(received?.headers.map(([name]) => name.toLowerCase())).not.toContain('expect')
    client.send(get('/healthz'))
    expect((await client.receiveResponse()).status).toBe(200)
    client.socket.destroy()
  })

  it.each<[when: string, target: string, length: number, status: number, ...more: string[]]>([
    ['the token is missing', '/v1/libraries', 10, 401],
    ['the path does not exist', '/elsewhere', 10, 404],
    ['the path is never forwarded', '/v1/internal/x', 10, 501],
    ['another expectation is unknown', '/v1/tracks', 10, 417, 'Expect: x'],
  ])(
    'RFC 9110 10.1.1: gets the response instead of a 100, and the connection closes, when %s',
    async (_, target, length, status, ...more) => {
      const client = await openRawClient(portOf(gateway))
      client.send(expecting(target, length, ...more))
      const response = await client.receiveResponse()
      expectValidResponse(response)
      expect([response.status, response.header('connection')]).toEqual([status, 'close'])
      expect(await client.waitForClose()).not.toContain('100 Continue')
    },
  )

  it('RFC 9110 10.1.1: gets 413 instead of a 100 for a body that is too large', async () => {
    const { token } = await gateway.signUp()
    const client = await openRawClient(portOf(gateway))
    client.send(expecting('/v1/libraries', 2_000_000, `Authorization: Bearer ${token}`))
    const response = await client.receiveResponse()
    expectValidResponse(response)
    expect(response.status).toBe(413)
    expect(client.text()).not.toContain('100 Continue')
    client.socket.destroy()
  })
})

const webSocket = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: x',
]
const upgrading = (...headers: readonly string[]) =>
  head('POST /v1/tracks', 'Connection: Upgrade', 'Upgrade: websocket', ...headers)
const tracks = 'GET /v1/tracks'

// Node's parser drops whatever follows an upgrade request in the same read, so the gateway closes the connection. This
// tells the client that no later request was served; otherwise it would wait.
// biome-ignore format: a table
wireTests('an upgrade', gateway, [
  ['9110 7.8', 'to WebSocket is ignored', get('/v1/tracks', ...webSocket), [200], 'closed', [tracks]],
  ['9110 7.8', 'to WebSocket is ignored by a page', get('/healthz', ...webSocket), [200], 'closed'],
  ['6455 4.4', 'to WebSocket of another version is ignored', get('/v1/tracks', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 99'), [200], 'closed', [tracks]],
  ['9113 3.1', 'to HTTP/2 is ignored', get('/v1/tracks', 'Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAABkAAQ'), [200], 'closed', [tracks]],
  ['9110 7.8', 'to TLS is ignored', get('/v1/tracks', 'Upgrade: TLS/1.3', 'Connection: Upgrade'), [200], 'closed', [tracks]],
  ['9110 7.8', 'of HTTP/1.0 is ignored', lines('GET /v1/tracks HTTP/1.0', 'Upgrade: websocket', 'Connection: Upgrade'), [200], 'closed', [tracks]],
  ['9110 7.8', 'without its connection option is ignored', get('/v1/tracks', 'Upgrade: websocket'), [200], 'closed', [tracks]],
  ['9110 7.8', 'to nothing is ignored, and the connection stays open', get('/v1/tracks', 'Connection: Upgrade'), [200], 'open', [tracks]],
  ['9112 6.3', 'keeps its body', `${upgrading('Content-Length: 3')}abc`, [200], 'closed', ['POST /v1/tracks abc']],
  ['9112 6.3', 'keeps its chunks', `${upgrading('Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`, [200], 'closed', ['POST /v1/tracks abc']],
  ['9112 6.3', 'keeps a body that looks like a request', upgrading(`Content-Length: ${get('/v1/packs').length}`) + get('/v1/packs'), [200], 'closed', [`POST /v1/tracks ${get('/v1/packs')}`]],
  ['9112 9.6', 'closes the connection before the next request', get('/v1/tracks', ...webSocket) + get('/v1/packs'), [200], 'closed', [tracks]],
  ['9112 9.6', 'closes the connection before the next request after its body', `${upgrading('Content-Length: 3')}abc${get('/v1/packs')}`, [200], 'closed', ['POST /v1/tracks abc']],
  ['9112 9.6', 'closes the connection before half a request', `${get('/v1/tracks', ...webSocket)}GET /v1/packs HT`, [200], 'closed', [tracks]],
  ['9112 9.3.2', 'is served in order', get('/v1/packs') + get('/v1/tracks', ...webSocket), [200, 200], 'closed', ['GET /v1/packs', tracks]],
])

describe('an upgrade', () => {
  it('RFC 9110 15.2.2: becomes a 502 if the core switches protocols without being asked', async () => {
    gateway.core.nextReplies.push(
      bytes('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    )
    const response = await sendRaw(portOf(gateway), get('/v1/tracks', 'Connection: Upgrade', 'Upgrade: x'))
    expectValidResponse(response)
    expect(response.status).toBe(502)
  })
})

describe('an interim core response', () => {
  it.each(['100 Continue', '102 Processing', '103 Early Hints', '110 Odd'])(
    'RFC 9110 15.2: %s is not forwarded as the final response',
    async (status) => {
      gateway.core.nextReplies.push((socket, request) => {
        socket.write(`HTTP/1.1 ${status}\r\nLink: </a>; rel=preload\r\n\r\n`)
        replyOk(socket, request)
      })
      const response = await sendRaw(portOf(gateway), get('/v1/tracks'))
      expectValidResponse(response)
      expect([response.status, response.body]).toEqual([200, 'ok'])
    },
  )
})
