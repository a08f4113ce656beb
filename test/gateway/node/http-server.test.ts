import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import { readBody } from '#gateway/node/read-body.ts'
import { get, openRawClient, sendRaw } from '#test/support/raw-client.ts'
import { startEdge } from '../edge/start-edge.ts'

const stamped = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-service-core-runtime': 'native',
  'x-service-native-route': 'unmatched',
  'x-service-proxy-fallback': '0',
}

const request = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`

describe('a request that is no request', () => {
  it.each([
    ['garbage', 'hello\r\n\r\n', 400, 'bad_request'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00', 400, 'bad_request'],
    ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'bad_request'],
    ['no host', request('GET / HTTP/1.1'), 400, 'bad_request'],
    ['two hosts', request('GET / HTTP/1.1', 'Host: a', 'Host: b'), 400, 'bad_request'],
    [
      'a length and chunks',
      request('POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
      400,
      'bad_request',
    ],
    [
      'two lengths',
      request('POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 1'),
      400,
      'bad_request',
    ],
    [
      'a length with a zero in front',
      `${request('POST / HTTP/1.1', 'Host: a', 'Content-Length: 01')}x`,
      400,
      'bad_request',
    ],
    ['another coding', request('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: gzip'), 400, 'bad_request'],
    [
      'two codings',
      request('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: gzip, chunked'),
      400,
      'bad_request',
    ],
    [
      'chunks of HTTP/1.0',
      request('POST / HTTP/1.0', 'Host: a', 'Transfer-Encoding: chunked'),
      400,
      'bad_request',
    ],
    ['a folded header', request('GET / HTTP/1.1', 'Host: a', 'X-A: 1', ' folded'), 400, 'bad_request'],
    ['a space before a colon', request('GET / HTTP/1.1', 'Host: a', 'X-A : 1'), 400, 'bad_request'],
    ['NUL in a header', request('GET / HTTP/1.1', 'Host: a', 'X-A: a\0b'), 400, 'bad_request'],
    ['bare line feeds', 'GET / HTTP/1.1\nHost: a\n\n', 400, 'bad_request'],
    ['a dot segment', get('/v1/../webhooks'), 400, 'bad_request'],
    ['an encoded slash', get('/v1%2fwebhooks'), 400, 'bad_request'],
    ['a fragment', get('/v1#x'), 400, 'bad_request'],
    ['bytes beyond ASCII', get('/v1/\xc3\xa9'), 400, 'bad_request'],
    ['TRACE', request('TRACE / HTTP/1.1', 'Host: a'), 405, 'method_not_allowed'],
    [
      'CONNECT',
      request('CONNECT core.example:443 HTTP/1.1', 'Host: core.example:443'),
      405,
      'method_not_allowed',
    ],
    [
      'an unknown expectation',
      request('POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Expect: magic'),
      417,
      'expectation_failed',
    ],
    [
      'two expectations',
      request('POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Expect: 100-continue, magic'),
      417,
      'expectation_failed',
    ],
    ['headers of 17 KiB', get('/', `X-A: ${'a'.repeat(17 * 1024)}`), 431, 'headers_too_large'],
    ['a target of 17 KiB', get(`/${'a'.repeat(17 * 1024)}`), 414, 'uri_too_long'],
  ])('is refused in the shape of the contract: %s', async (_, message, status, error) => {
    const { port, rejections, targets } = await startEdge()
    const client = await openRawClient(port)
    client.send(message)
    const answer = await client.answer()
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { error }])
    expect(Object.fromEntries(answer.headers)).toMatchObject(stamped)
    expect(answer.header('allow') !== undefined).toBe(status === 405)
    await client.closed()
    expect(rejections).toEqual([{ code: error, status }])
    expect(targets).toEqual([])
  })

  it('is refused when its head does not come to an end', async () => {
    const { port, rejections } = await startEdge({ headersTimeoutMs: 200 })
    const client = await openRawClient(port)
    client.send('GET / HTTP/1.1\r\nHost: a\r\nX-')
    const answer = await client.answer()
    expect([answer.status, JSON.parse(answer.body)]).toEqual([408, { error: 'request_timeout' }])
    expect(rejections).toEqual([{ code: 'request_timeout', status: 408 }])
  })

  it('is never answered in the place of the one before it', async () => {
    const { port } = await startEdge({
      onRequest: (_incoming, outgoing) => {
        setTimeout(() => outgoing.writeHead(200, ['content-length', '5']).end('first'), 40)
      },
    })
    const client = await openRawClient(port)
    client.send(`${get('/v1/tracks')}garbage\r\n\r\n`)
    expect(await client.answer()).toMatchObject({ status: 200, body: 'first' })
    await client.closed()
  })

  it('cuts off an answer that has begun when its own body turns out broken', async () => {
    const { port } = await startEdge({
      onRequest: (incoming, outgoing) => {
        incoming.resume()
        outgoing.writeHead(200).write('part')
      },
    })
    const client = await openRawClient(port)
    client.send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
    await client.socket.once('data', () => client.send('zz\r\n'))
    expect(await client.answer()).toMatchObject({ body: 'part', complete: false })
    await client.closed()
  })

  it('is refused so that a client who sends all of it first still reads why', async () => {
    const { port } = await startEdge()
    const client = await openRawClient(port)
    client.socket.pause()
    client.send(
      `POST //tracks HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n${'a'.repeat(5_000_000)}`,
    )
    await sleep(300)
    client.socket.resume()
    expect((await client.answer()).status).toBe(400)
    client.socket.destroy()
  })

  it('is refused when its chunks break before an answer has begun', async () => {
    const { port } = await startEdge({ onRequest: (incoming) => incoming.resume() })
    const answer = await sendRaw(
      port,
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    )
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, { error: 'bad_request' }])
  })
})

describe('a sound request', () => {
  it('comes with one spelling of its path', async () => {
    const { port, targets } = await startEdge()
    await sendRaw(port, get('/v1/%74racks?x=%74'))
    await sendRaw(port, get('http://api.example/v1/tracks'))
    expect(targets).toEqual(['/v1/tracks?x=%74', '/v1/tracks'])
  })

  it('may ask for an upgrade and is answered as if it had not', async () => {
    const { port } = await startEdge()
    expect((await sendRaw(port, get('/', 'Connection: Upgrade', 'Upgrade: websocket'))).status).toBe(200)
  })

  it('may have a thousand small headers', async () => {
    const headers: string[] = []
    const { port } = await startEdge({
      onRequest: (incoming, outgoing) => outgoing.end(String(incoming.rawHeaders.length)),
    })
    for (let at = 0; at < 2500; at++) headers.push('a:b')
    expect((await sendRaw(port, get('/', ...headers))).body).toBe('5002')
  })
})

describe('a client that expects 100', () => {
  const expecting = (length: number) =>
    request('POST / HTTP/1.1', 'Host: a', `Content-Length: ${length}`, 'Expect: 100-continue')

  it('is asked for its body when somebody reads it', async () => {
    const { port } = await startEdge({
      onRequest: async (incoming, outgoing) => {
        await sleep(20)
        outgoing.end(await readBody(incoming, outgoing, createBodyBudget(10).reserve(), { maxBytes: 10 }))
      },
    })
    const client = await openRawClient(port)
    client.send(expecting(2))
    await sleep(5)
    expect(client.text()).toBe('')
    client.socket.once('data', () => client.send('hi'))
    expect((await client.answer()).body).toBe('hi')
    expect(client.text().startsWith('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200')).toBe(true)
    client.send(get('/').replace('GET', 'POST'))
    expect((await client.answer()).status).toBe(200)
    client.socket.destroy()
  })

  it('is not asked, and loses its connection, when its body is not wanted', async () => {
    const { port } = await startEdge({ onRequest: (_incoming, outgoing) => outgoing.writeHead(401).end() })
    const client = await openRawClient(port)
    client.send(expecting(2))
    const answer = await client.answer()
    expect([answer.status, answer.header('connection')]).toEqual([401, 'close'])
    await client.closed()
    expect(client.text()).not.toContain('100 Continue')
  })
})
