import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import { readBody } from '#gateway/node/read-body.ts'
import { ClientGoneError } from '#gateway/request/context.ts'
import { errorBody } from '#test/support/error-body.ts'
import { get, openRawClient, sendRaw } from '#test/support/raw-client.ts'
import { startEdge } from './start-edge.ts'

const errorHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-service-core-runtime': 'native',
  'x-service-native-route': 'unmatched',
  'x-service-proxy-fallback': '0',
}

const request = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`

describe('an invalid request', () => {
  it.each([
    ['garbage', 'hello\r\n\r\n', 400, 'bad_request'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00', 400, 'bad_request'],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'bad_request'],
    ['no Host header', request('GET / HTTP/1.1'), 400, 'bad_request'],
    ['two Host headers', request('GET / HTTP/1.1', 'Host: a', 'Host: b'), 400, 'bad_request'],
    [
      'a length and a chunked body',
      request('POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
      400,
      'bad_request',
    ],
    [
      'two Content-Length headers',
      request('POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 1'),
      400,
      'bad_request',
    ],
    [
      'a length with a leading zero',
      `${request('POST / HTTP/1.1', 'Host: a', 'Content-Length: 01')}x`,
      400,
      'bad_request',
    ],
    [
      'an unsupported transfer coding',
      request('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: gzip'),
      400,
      'bad_request',
    ],
    [
      'two transfer codings',
      request('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: gzip, chunked'),
      400,
      'bad_request',
    ],
    [
      'a chunked HTTP/1.0 body',
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
    ['non-ASCII bytes', get('/v1/\xc3\xa9'), 400, 'bad_request'],
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
  ] as const)("gets an error response in the contract's format: %s", async (_, message, status, error) => {
    const { port, rejections, targets } = await startEdge()
    const client = await openRawClient(port)
    client.send(message)
    const response = await client.receiveResponse()
    expect([response.status, JSON.parse(response.body)]).toEqual([status, errorBody(error)])
    expect(Object.fromEntries(response.headers)).toMatchObject(errorHeaders)
    expect(response.header('allow') !== undefined).toBe(status === 405)
    await client.waitForClose()
    expect(rejections).toEqual([{ code: error, status }])
    expect(targets).toEqual([])
  })

  it('gets 408 when its head is not completed in time', async () => {
    const { port, rejections } = await startEdge({ headersTimeoutMs: 200 })
    const client = await openRawClient(port)
    client.send('GET / HTTP/1.1\r\nHost: a\r\nX-')
    const response = await client.receiveResponse()
    expect([response.status, JSON.parse(response.body)]).toEqual([408, errorBody('request_timeout')])
    expect(rejections).toEqual([{ code: 'request_timeout', status: 408 }])
  })

  it('does not replace the response to the previous request', async () => {
    const { port } = await startEdge({
      onRequest: (_incoming, outgoing) => {
        setTimeout(() => outgoing.writeHead(200, ['content-length', '5']).end('first'), 40)
      },
    })
    const client = await openRawClient(port)
    client.send(`${get('/v1/tracks')}garbage\r\n\r\n`)
    expect(await client.receiveResponse()).toMatchObject({ status: 200, body: 'first' })
    await client.waitForClose()
  })

  it('has its response aborted if its body becomes invalid after the response has started', async () => {
    const { port } = await startEdge({
      onRequest: (incoming, outgoing) => {
        incoming.resume()
        outgoing.writeHead(200).write('part')
      },
    })
    const client = await openRawClient(port)
    client.send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
    await client.socket.once('data', () => client.send('zz\r\n'))
    expect(await client.receiveResponse()).toMatchObject({ body: 'part', complete: false })
    await client.waitForClose()
  })

  it('gets an error response that a client can still read after sending the whole body', async () => {
    const { port } = await startEdge()
    const client = await openRawClient(port)
    client.socket.pause()
    client.send(
      `POST //tracks HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n${'a'.repeat(5_000_000)}`,
    )
    await sleep(300)
    client.socket.resume()
    expect((await client.receiveResponse()).status).toBe(400)
    client.socket.destroy()
  })

  it('gets 400 when a chunk is malformed before the response starts', async () => {
    const { port } = await startEdge({ onRequest: (incoming) => incoming.resume() })
    const response = await sendRaw(
      port,
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    )
    expect([response.status, JSON.parse(response.body)]).toEqual([400, errorBody('bad_request')])
  })
})

describe('a valid request', () => {
  it('is served under its canonical path', async () => {
    const { port, targets } = await startEdge()
    await sendRaw(port, get('/v1/%74racks?x=%74'))
    await sendRaw(port, get('http://api.example/v1/tracks'))
    expect(targets).toEqual(['/v1/tracks?x=%74', '/v1/tracks'])
  })

  it('may request an upgrade, which is ignored', async () => {
    const { port } = await startEdge()
    expect((await sendRaw(port, get('/', 'Connection: Upgrade', 'Upgrade: websocket'))).status).toBe(200)
  })

  it('may have thousands of small headers', async () => {
    const headers: string[] = []
    const { port } = await startEdge({
      onRequest: (incoming, outgoing) => outgoing.end(String(incoming.rawHeaders.length)),
    })
    for (let index = 0; index < 2500; index++) headers.push('a:b')
    expect((await sendRaw(port, get('/', ...headers))).body).toBe('5002')
  })
})

describe('a request with Expect: 100-continue', () => {
  const expectContinue = (length: number) =>
    request('POST / HTTP/1.1', 'Host: a', `Content-Length: ${length}`, 'Expect: 100-continue')

  it('gets no 100 after an error response, and reading its body throws ClientGoneError', async () => {
    const read = Promise.withResolvers<unknown>()
    const { port } = await startEdge({
      onRequest(incoming, outgoing) {
        const reservation = createBodyBudget(10).reserve('10.0.0.1')
        // At this point the error response has been written, but it is not finished.
        outgoing.once('prefinish', () => {
          read.resolve(
            readBody(incoming, outgoing, reservation, { maxBytes: 10 }).catch((error: unknown) => error),
          )
        })
      },
    })
    const client = await openRawClient(port)
    const fields = ['Host: a', 'Transfer-Encoding: chunked', 'Expect: 100-continue']
    client.send(`${request('POST / HTTP/1.1', ...fields)}x\r\n`)
    expect((await client.receiveResponse()).status).toBe(400)
    expect(await read.promise).toBeInstanceOf(ClientGoneError)
    expect(await client.waitForClose()).not.toContain('100 Continue')
  })

  it('gets 100 once its body is read', async () => {
    const { port } = await startEdge({
      onRequest: async (incoming, outgoing) => {
        await sleep(20)
        outgoing.end(
          await readBody(incoming, outgoing, createBodyBudget(10).reserve('10.0.0.1'), { maxBytes: 10 }),
        )
      },
    })
    const client = await openRawClient(port)
    client.send(expectContinue(2))
    await sleep(5)
    expect(client.text()).toBe('')
    client.socket.once('data', () => client.send('hi'))
    expect((await client.receiveResponse()).body).toBe('hi')
    expect(client.text().startsWith('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200')).toBe(true)
    client.send(get('/').replace('GET', 'POST'))
    expect((await client.receiveResponse()).status).toBe(200)
    client.socket.destroy()
  })

  it('gets only the final status if its body is not read, and its connection is closed', async () => {
    const { port } = await startEdge({ onRequest: (_incoming, outgoing) => outgoing.writeHead(401).end() })
    const client = await openRawClient(port)
    client.send(expectContinue(2))
    const response = await client.receiveResponse()
    expect([response.status, response.header('connection')]).toEqual([401, 'close'])
    await client.waitForClose()
    expect(client.text()).not.toContain('100 Continue')
  })
})
