import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, openRawClient, post } from '#test/support/raw-client.ts'
import { bytes, replyOk } from '#test/support/raw-core.ts'
import { recordCore } from './record-core.ts'
import {
  collectCoreRequests,
  expectValidResponse,
  head,
  lines,
  portOf,
  replyWhenComplete,
  wireTests,
} from './wire.ts'

const gateway = startTestGateway({ core: 'recording' })

const old = (...headers: readonly string[]) => lines('GET /v1/tracks HTTP/1.0', 'Host: a', ...headers)
const tracks = 'GET /v1/tracks'
const created = 'POST /v1/tracks abc'

// biome-ignore format: a table
wireTests('a connection', gateway, [
  ['9112 9.3', 'stays open with HTTP/1.1', get('/v1/tracks'), [200], 'open', [tracks]],
  ['9112 9.3', 'stays open with keep-alive', get('/v1/tracks', 'Connection: keep-alive'), [200], 'open', [tracks]],
  ['9112 9.6', 'closes with Connection: close', get('/v1/tracks', 'Connection: close'), [200], 'closed', [tracks]],
  ['9112 9.6', 'closes with Connection: CLOSE', get('/v1/tracks', 'Connection: CLOSE'), [200], 'closed', [tracks]],
  ['9112 9.6', 'closes with close in a list', get('/v1/tracks', 'Connection: x, close'), [200], 'closed', [tracks]],
  ['9112 9.3', 'closes with HTTP/1.0', old(), [200], 'closed', [tracks]],
  ['9112 9.3', 'stays open with HTTP/1.0 and keep-alive', old('Connection: keep-alive'), [200], 'open', [tracks]],
  ['9112 9.6', 'serves no request after one with Connection: close', get('/v1/tracks', 'Connection: close') + get('/v1/packs'), [200], 'closed', [tracks]],
  ['9112 9.3', 'stays open after an error response', get('/v1/analytics/overview'), [401], 'open'],
  ['9112 9.3', 'stays open after an unknown path', get('/elsewhere'), [404], 'open'],
  ['9112 9.3', 'stays open after a body that is not read', post('/elsewhere', 'abc'), [404], 'open'],
  ['9112 9.3.2', 'gets responses in order', get('/v1/tracks') + get('/elsewhere') + get('/v1/packs'), [200, 404, 200], 'open', [tracks, 'GET /v1/packs']],
  ['9112 9.3.2', 'gets responses in order with bodies between', post('/v1/tracks', 'abc') + get('/v1/tracks') + post('/v1/tracks', 'abc'), [200, 200, 200], 'open', [created, tracks, created]],
  ['9112 9.3.2', 'gets responses in order with chunks between', `${head('POST /v1/tracks', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n${get('/v1/tracks')}`, [200, 200], 'open', [created, tracks]],
  ['9112 9.3.2', 'gets responses to HEAD and others in order', head('HEAD /v1/tracks') + get('/v1/tracks') + head('HEAD /healthz'), ['HEAD 200', 200, 'HEAD 200'], 'open', ['HEAD /v1/tracks', tracks]],
  ['9112 9.3.2', 'serves ten pipelined requests', get('/v1/tracks').repeat(10), Array(10).fill(200), 'open', Array(10).fill(tracks)],
  ['9112 2.2', 'ignores an empty line between requests', `${post('/v1/tracks', 'abc')}\r\n${get('/v1/tracks')}`, [200, 200], 'open', [created, tracks]],
  ['9112 9.3.2', 'closes on bytes that are not a request', `${get('/healthz')}hello\r\n\r\n`, [200], 'closed'],
  ['9112 9.3.2', 'serves the requests before one with a bad target', get('/v1/tracks') + get('/v1/../x') + get('/v1/tracks'), [200, 400], 'closed', [tracks]],
  ['9112 9.3.2', 'serves the requests before one with an invalid body, and closes', `${get('/v1/tracks')}${head('POST /v1/tracks', 'Transfer-Encoding: chunked')}zz\r\n`, [200], 'closed', [tracks]],
  ['9112 9.3.2', 'serves a hundred pipelined requests', get('/v1/tracks').repeat(100), Array(100).fill(200), 'open', Array(100).fill(tracks)],
  ['9112 6.3', 'reads a stray byte after a body as the start of a request', `${post('/v1/tracks', '')}x`, [200], 'closed', ['POST /v1/tracks']],
  ['9112 8', 'waits for the rest of a head', 'GET /v1/tracks HTTP/1.1\r\nHost: a\r\n', [], 'waits'],
  ['9112 9.6', 'serves a request with Connection: close and none after it', get('/v1/tracks') + get('/v1/packs', 'Connection: close') + get('/v1/tracks'), [200, 200], 'closed', [tracks, 'GET /v1/packs']],
  ['9112 9.6', 'serves an HTTP/1.0 request and none after it', get('/v1/tracks') + old() + get('/v1/packs'), [200, 200], 'closed', [tracks, tracks]],
  ['9112 9.3.2', 'serves all requests before bytes that are not a request', `${get('/v1/tracks')}${post('/v1/tracks', 'abc')}\0\r\n`, [200, 200], 'closed', [tracks, created]],
  ['9112 7.1.2', 'closes with Connection: close in trailers', `${head('POST /v1/tracks', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\nConnection: close\r\n\r\n`, [200], 'closed', [created]],
  ['9112 2.2', 'waits for a request after empty lines', '\r\n\r\n', [], 'waits'],
])

describe('a fragmented request', () => {
  it('RFC 9112 2: is served when each byte arrives separately', async () => {
    const recording = recordCore(gateway.core)
    recording.takeNew()
    replyWhenComplete(gateway, 1)
    const client = await openRawClient(portOf(gateway))
    client.socket.setNoDelay(true)
    const message = `${head('POST /v1/tracks', 'Transfer-Encoding: chunked')}3;x="y"\r\nabc\r\n0\r\nX: y\r\n\r\n`
    for (const byte of message) {
      client.send(byte)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const response = await client.receiveResponse()
    expectValidResponse(response)
    expect(response.status).toBe(200)
    expect(await collectCoreRequests(gateway, recording)).toEqual([created])
    client.socket.destroy()
  })
})

describe('a second request on a connection that the first response closes', () => {
  it('RFC 9112 9.6: is not served, even if only the response requires the connection to close', async () => {
    const recording = recordCore(gateway.core)
    recording.takeNew()
    // A chunked response closes an HTTP/1.0 client's connection despite keep-alive.
    gateway.core.nextReplies.push(
      bytes('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'),
    )
    const client = await openRawClient(portOf(gateway))
    client.send(old('Connection: keep-alive') + old('Connection: keep-alive'))
    expect((await client.waitForClose()).split('HTTP/1.1 200 OK')).toHaveLength(2)
    expect(await collectCoreRequests(gateway, recording)).toEqual([tracks])
  })
})

describe('a request body that turns out to be invalid after the response', () => {
  it('RFC 9112 9.3.2: gets no second response, and the connection closes', async () => {
    const client = await openRawClient(portOf(gateway))
    client.send(head('POST /v1/libraries', 'Transfer-Encoding: chunked'))
    const response = await client.receiveResponse()
    expectValidResponse(response)
    expect(response.status).toBe(401)
    client.send(`zz\r\n${get('/v1/tracks')}`)
    expect((await client.waitForClose()).split('HTTP/1.1 ')).toHaveLength(2)
  })
})

describe('a rejected CONNECT', () => {
  it('RFC 9110 9.3.6: causes no uncaught exception when the client resets the connection immediately', async () => {
    const uncaught: unknown[] = []
    const record = (error: unknown) => uncaught.push(error)
    process.on('uncaughtExceptionMonitor', record)
    for (let round = 0; round < 60; round++) {
      const client = await openRawClient(portOf(gateway))
      const framing = round % 2 === 0 ? [] : ['Content-Length: 5']
      client.send(`${head('CONNECT api.example:443', ...framing)}${round % 3 === 0 ? 'abc' : ''}`)
      if (round % 4 === 0) await new Promise((resolve) => setTimeout(resolve, round % 5))
      client.socket.resetAndDestroy()
    }
    const client = await openRawClient(portOf(gateway))
    client.send(get('/healthz'))
    expect((await client.receiveResponse()).status).toBe(200)
    client.socket.destroy()
    process.off('uncaughtExceptionMonitor', record)
    expect(uncaught).toEqual([])
  })
})

describe('an error response before the end of a request', () => {
  it('RFC 9112 9.6: reaches a client that keeps sending', async () => {
    const client = await openRawClient(portOf(gateway))
    client.send(`GET /v1/tracks HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}`)
    for (let round = 0; round < 20; round++) {
      client.send('a'.repeat(100_000))
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    const response = await client.receiveResponse()
    expectValidResponse(response)
    expect([response.status, response.header('connection')]).toEqual([431, 'close'])
    client.socket.destroy()
  })
})

describe('a client that closes its sending side', () => {
  it('RFC 9112 9.6: counts as disconnected, and its request to the core is aborted', async () => {
    gateway.core.nextReplies.push(() => {})
    const connections = gateway.core.openConnections()
    const client = await openRawClient(portOf(gateway))
    client.send(get('/v1/held'))
    await expect.poll(() => gateway.core.requests.at(-1)?.target).toBe('/v1/held')
    client.socket.end()
    expect(await client.waitForClose()).toBe('')
    await expect.poll(() => gateway.core.openConnections()).toBeLessThanOrEqual(connections)
  })

  // Covers every position at which a message can break off: in a head, in a body with a length, and in chunks.
  it.each([
    ['a head', get('/v1/tracks', 'X-A: y')],
    ['a body', post('/v1/tracks', 'abcdef')],
    ['chunks', `${head('POST /v1/tracks', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\nX: y\r\n\r\n`],
  ])(
    'RFC 9112 8: causes no request to the core if it stops at any byte inside %s',
    { timeout: 30_000 },
    async (_, message) => {
      const recording = recordCore(gateway.core)
      recording.takeNew()
      replyWhenComplete(gateway, message.length)
      const disconnect = async (length: number) => {
        const client = await openRawClient(portOf(gateway))
        client.send(message.slice(0, length))
        if (length % 2 === 0) client.socket.end()
        else setTimeout(() => client.socket.resetAndDestroy(), 5)
        await client.waitForClose()
        return client.text()
      }
      for (let length = 1; length < message.length; length += 8) {
        const texts = await Promise.all(
          Array.from({ length: Math.min(8, message.length - length) }, (_, at) => disconnect(length + at)),
        )
        for (const text of texts) expect(text).toMatch(/^(?:$|HTTP\/1\.1 400 )/)
      }
      const received = await collectCoreRequests(gateway, recording)
      expect(received.filter((request) => request !== 'cut off')).toEqual([])
    },
  )
})

describe('the body of a core response', () => {
  const secret = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhidden'

  it.each<
    [rfc: string, name: string, method: string, core: string, status: number, length: string | undefined]
  >([
    [
      '9110 9.3.2',
      'HEAD with a length',
      'HEAD',
      'HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n',
      200,
      '1234',
    ],
    [
      '9110 9.3.2',
      'HEAD with chunks',
      'HEAD',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      200,
      undefined,
    ],
    [
      '9110 9.3.2',
      'HEAD with a body',
      'HEAD',
      `HTTP/1.1 200 OK\r\nContent-Length: ${secret.length}\r\n\r\n${secret}`,
      200,
      String(secret.length),
    ],
    [
      '9110 8.6',
      '204 with a length',
      'GET',
      'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n',
      204,
      undefined,
    ],
    [
      '9110 8.6',
      '204 with a body',
      'GET',
      `HTTP/1.1 204 No Content\r\nContent-Length: ${secret.length}\r\n\r\n${secret}`,
      204,
      undefined,
    ],
    [
      '9112 6.1',
      '204 with chunks',
      'GET',
      'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      204,
      undefined,
    ],
    [
      '9110 15.4.5',
      '304 with a length',
      'GET',
      'HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\nETag: "x"\r\n\r\n',
      304,
      '1234',
    ],
    [
      '9110 15.4.5',
      '304 with a body',
      'GET',
      `HTTP/1.1 304 Not Modified\r\nContent-Length: ${secret.length}\r\n\r\n${secret}`,
      304,
      String(secret.length),
    ],
  ])(
    'RFC %s: is not forwarded for %s, and the next request gets its own response',
    async (_rfc, _name, method, core, status, length) => {
      gateway.core.nextReplies.push(bytes(core))
      const client = await openRawClient(portOf(gateway))
      client.send(head(`${method} /v1/tracks`))
      const response = await client.receiveResponse(method)
      expectValidResponse(response, method)
      expect([
        response.status,
        response.header('content-length'),
        response.header('transfer-encoding'),
      ]).toEqual([status, length, undefined])
      await new Promise((resolve) => setTimeout(resolve, 20))
      for (const target of ['/v1/tracks', '/v1/packs']) {
        client.send(get(target))
        expect((await client.receiveResponse()).body).toBe('ok')
      }
      expect(client.text()).not.toContain('hidden')
      client.socket.destroy()
    },
  )

  it('RFC 9110 6.4.1: is complete with status 200 and a length of 0', async () => {
    gateway.core.nextReplies.push(bytes('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), replyOk)
    const client = await openRawClient(portOf(gateway))
    client.send(get('/v1/tracks'))
    expect(await client.receiveResponse()).toMatchObject({ status: 200, body: '', complete: true })
    client.send(get('/v1/tracks'))
    expect((await client.receiveResponse()).body).toBe('ok')
    client.socket.destroy()
  })
})
