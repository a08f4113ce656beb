import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { get, openRawClient } from '#test/support/raw-client.ts'
import { bytes, type Reply, replyOk } from '#test/support/raw-core.ts'
import { startCoreAndGateway } from './forwarding-gateway.ts'
import { head200, thenEnd, thenReset } from './misbehaving-core.ts'

describe('an invalid core response', () => {
  it.each<[string, Reply]>([
    ['a reset before the head', thenReset('')],
    ['an end before the head', (socket) => socket.end()],
    ['an end inside the head', thenEnd(`${head200}Content-Le`)],
    ['a reset inside the head', thenReset(`${head200}Content-Le`)],
    ['garbage', thenEnd('\x16\x03\x01\x02garbage\r\n\r\n')],
    ['SSH', bytes('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'an unrequested 101',
      bytes('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
    ],
    [
      'a length and chunks',
      bytes(`${head200}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
    ],
    [
      'chunks and a length',
      bytes(`${head200}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
    ],
    ['two lengths', bytes(`${head200}Content-Length: 2\r\nContent-Length: 5\r\n\r\nokabc`)],
    ['the same length twice', bytes(`${head200}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`)],
    ['a signed length', bytes(`${head200}Content-Length: +2\r\n\r\nok`)],
    ['a list as length', bytes(`${head200}Content-Length: 2, 2\r\n\r\nok`)],
    ['a folded header', bytes(`${head200}X-A: 1\r\n folded\r\nContent-Length: 2\r\n\r\nok`)],
    ['NUL in a header', bytes(`${head200}X-A: a\0b\r\nContent-Length: 2\r\n\r\nok`)],
    ['a control character in a header', bytes(`${head200}X-A: a\x01b\r\nContent-Length: 2\r\n\r\nok`)],
    ['a space before a colon', bytes(`${head200}Content-Length : 2\r\n\r\nok`)],
    ['a header of 70 KB', bytes(`${head200}X-A: ${'a'.repeat(70_000)}\r\nContent-Length: 2\r\n\r\nok`)],
    ['a status that does not exist', bytes('HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok')],
    ...[
      'gzip',
      'gzip, chunked',
      'chunked, gzip',
      'identity',
      'xchunked',
      'chunked, chunked',
      '"chunked"',
      '',
    ].map((coding): [string, Reply] => [
      `the transfer coding ${coding || 'without a name'}`,
      thenEnd(`${head200}Transfer-Encoding: ${coding}\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
    ]),
    [
      'chunks twice',
      bytes(`${head200}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
    ],
    [
      'chunks in HTTP/1.0',
      thenEnd('HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'),
    ],
    [
      'chunks in HTTP/1.0 after an interim response',
      bytes(
        'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      ),
    ],
    ...['99', '1000', '1xx', '1', '100X', '0200', '-200', '600', '000', 'abc', '200OK'].map(
      (status): [string, Reply] => [
        `the status ${status}`,
        bytes(`HTTP/1.1 ${status} Odd\r\n\r\n${head200}Content-Length: 2\r\n\r\nok`),
      ],
    ),
    ...['+2', '-2', '0x2', '2 2', '2;', '', '1e1', '2.0', '18446744073709551616', '"2"'].map(
      (length): [string, Reply] => [
        `the length ${length || 'without digits'}`,
        thenEnd(`${head200}Content-Length: ${length}\r\n\r\nok`),
      ],
    ),
    ...[
      'X Y: z',
      ': z',
      'X',
      'X\0: z',
      'X(: z',
      '\x80: z',
      'X: a\rb',
      'X: a\nY: z',
      ' X: y',
      'X: a\x7f',
      'Location: http://a/\x01',
    ].map((line): [string, Reply] => [
      `the header ${JSON.stringify(line)}`,
      bytes(`${head200}${line}\r\nContent-Length: 2\r\n\r\nok`),
    ]),
    ['line feeds alone', bytes('HTTP/1.1 200 OK\nContent-Length: 2\n\nok')],
    ['HTTP/0.9', thenEnd('<p>ok</p>')],
    ['HTTP/1.2', bytes('HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\nok')],
    ['an empty line first', bytes(`\r\n${head200}Content-Length: 2\r\n\r\nok`)],
    ['its status line twice', bytes(`${head200}${head200}Content-Length: 2\r\n\r\nok`)],
    ['HTTP/2', bytes('HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok')],
  ])('causes a 502 for %s, and the next request is served', async (_, reply) => {
    const { core, port } = await startCoreAndGateway(replyOk, { timeoutMs: 2000 })
    core.nextReplies.push(reply)
    const client = await openRawClient(port)
    client.send(get('/v1/tracks'))
    const response = await client.receiveResponse()
    expect(response.status).toBe(502)
    expect(JSON.parse(response.body)).toEqual(errorBody('core_bad_response'))
    expect(response.header('x-service-core-runtime')).toBe('proxy')
    client.send(get('/v1/tracks'))
    expect((await client.receiveResponse()).body).toBe('ok')
    client.socket.destroy()
  })
})

describe('an unusual but valid core response', () => {
  it.each<[string, string, body: string]>([
    ['no reason', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok', 'ok'],
    ['a reason beyond ASCII', 'HTTP/1.1 200 \xe4\xff\r\nContent-Length: 2\r\n\r\nok', 'ok'],
    ['a chunk extension', `${head200}Transfer-Encoding: chunked\r\n\r\n2;a="b;c"\r\nok\r\n0;d\r\n\r\n`, 'ok'],
    ['CHUNKED in capitals', `${head200}Transfer-Encoding: CHUNKED\r\n\r\n2\r\nok\r\n0\r\n\r\n`, 'ok'],
    [
      'trailers',
      `${head200}Trailer: Set-Cookie\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nSet-Cookie: a=b\r\n\r\n`,
      'ok',
    ],
    [
      'a length that Connection lists',
      `${head200}Connection: content-length\r\nContent-Length: 2\r\n\r\nok`,
      'ok',
    ],
    [
      'an upgrade it offers',
      `${head200}Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nok`,
      'ok',
    ],
    [
      'HTTP/1.0 and keep-alive',
      'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok',
      'ok',
    ],
    [
      'header names that are properties of every object',
      `${head200}constructor: a\r\ntoString: b\r\nContent-Length: 2\r\n\r\nok`,
      'ok',
    ],
    [
      'a thousand interim responses',
      `${'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1000)}${head200}Content-Length: 2\r\n\r\nok`,
      'ok',
    ],
    [
      'status 304 and chunks',
      'HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      '',
    ],
  ])('with %s is forwarded, and the next request gets its own response', async (_, text, body) => {
    const { core, port } = await startCoreAndGateway(replyOk, { timeoutMs: 2000, connections: 1 })
    core.nextReplies.push(bytes(text))
    const client = await openRawClient(port)
    client.send(get('/v1/tracks'))
    const response = await client.receiveResponse()
    expect([response.body, response.complete]).toEqual([body, true])
    for (const name of ['trailer', 'upgrade', 'set-cookie']) expect(response.header(name)).toBeUndefined()
    client.send(get('/v1/tracks'))
    expect((await client.receiveResponse()).body).toBe('ok')
    client.socket.destroy()
  })
})

describe('what the core sends after a response', () => {
  const first = `${head200}Content-Length: 5\r\n\r\nfirst`
  const stray = `${head200}Content-Length: 6\r\n\r\nstolen`

  it.each<[string, Reply]>([
    ['a second response in the same packet', bytes(first + stray)],
    [
      'a second response a moment later',
      (socket) => {
        socket.write(first)
        setTimeout(() => socket.write(stray), 15)
      },
    ],
    ['a body after HEAD', bytes(`${head200}Content-Length: 5\r\n\r\nfirst`)],
    [
      'a second response after 204',
      bytes('HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'),
    ],
  ])('is never returned to another request: %s', async (kind, reply) => {
    const { core, port } = await startCoreAndGateway(replyOk, { connections: 1 })
    core.nextReplies.push(reply)
    const client = await openRawClient(port)
    const method = kind.includes('HEAD') ? 'HEAD' : 'GET'
    client.send(get('/v1/tracks').replace('GET', method))
    await client.receiveResponse(method)
    await new Promise((resolve) => setTimeout(resolve, 30))
    for (let round = 0; round < 3; round++) {
      client.send(get('/v1/tracks'))
      expect((await client.receiveResponse()).body).toBe('ok')
    }
    client.socket.destroy()
  })
})
