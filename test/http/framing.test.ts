import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { openRawClient } from '#test/support/raw-client.ts'
import { expectValidResponse, head, lines, portOf, type WireCase, wireTests } from './wire.ts'

const gateway = startTestGateway({ core: 'recording' })

const counted = (length: string, body = '') => head('POST /v1/tracks', `Content-Length: ${length}`) + body
const coded = (coding: string, body = '0\r\n\r\n') =>
  head('POST /v1/tracks', `Transfer-Encoding: ${coding}`) + body
const chunks = (body: string) => coded('chunked', body)

const served = (rfc: string, name: string, bytes: string, core: string): WireCase => [
  rfc,
  name,
  bytes,
  [200],
  'open',
  [core],
]
const rejected = (rfc: string, name: string, bytes: string, status = 400): WireCase => [
  rfc,
  name,
  bytes,
  [status],
  'closed',
]

// biome-ignore format: a table
wireTests('Content-Length', gateway, [
  served('9112 6.2', 'counts the body', counted('3', 'abc'), 'POST /v1/tracks abc'),
  served('9112 6.2', 'may be 0', counted('0'), 'POST /v1/tracks'),
  served('9112 6.3', 'may be missing: there is no body', head('POST /v1/tracks'), 'POST /v1/tracks'),
  served('9110 5.5', 'may have spaces and tabs around it', counted('\t 3 \t', 'abc'), 'POST /v1/tracks abc'),
  served('9110 5.1', 'may be written in any case', `${head('POST /v1/tracks', 'cONTENT-lENGTH: 3')}abc`, 'POST /v1/tracks abc'),
  served('9110 9.3.1', 'may come with GET', `${head('GET /v1/tracks', 'Content-Length: 3')}abc`, 'GET /v1/tracks abc'),
  served('9110 9.3.5', 'may come with DELETE', `${head('DELETE /v1/tracks/t', 'Content-Length: 3')}abc`, 'DELETE /v1/tracks/t abc'),
  served('9110 9.3.7', 'may come with OPTIONS', `${head('OPTIONS /v1/tracks', 'Content-Length: 3')}abc`, 'OPTIONS /v1/tracks abc'),
  ['9110 9.3.2', 'may come with HEAD', `${head('HEAD /v1/tracks', 'Content-Length: 3')}abc`, ['HEAD 200'], 'open', ['HEAD /v1/tracks abc']],
  ['9112 6.3', 'larger than the received body is waited for', counted('4', 'abc'), [], 'waits'],
  rejected('9112 6.3', 'a sign', counted('+3', 'abc')),
  rejected('9112 6.3', 'a negative number', counted('-3', 'abc')),
  rejected('9112 6.3', 'a leading zero', counted('03', 'abc')),
  rejected('9112 6.3', '00', counted('00')),
  rejected('9112 6.3', 'a hexadecimal number', counted('0x3', 'abc')),
  rejected('9112 6.3', 'letters', counted('a', 'abcabcabca')),
  rejected('9112 6.3', 'a fraction', counted('3.0', 'abc')),
  rejected('9112 6.3', 'an exponent', counted('3e0', 'abc')),
  rejected('9112 6.3', 'an underscore', counted('1_0', 'abcabcabca')),
  rejected('9112 6.3', 'a space inside', counted('1 0', 'abcabcabca')),
  rejected('9112 6.3', 'a semicolon', counted('3;', 'abc')),
  rejected('9112 6.3', 'quotes', counted('"3"', 'abc')),
  rejected('9112 6.3', 'a control character', counted('\x0b3', 'abc')),
  rejected('9112 6.3', 'digits that are not ASCII', counted('\xb3', 'abc')),
  rejected('9112 6.3', 'an empty value', counted('')),
  rejected('9112 6.3', 'a folded line', counted('\r\n 3', 'abc')),
  rejected('9112 6.3', 'a list of equal values', counted('3, 3', 'abc')),
  rejected('9112 6.3', 'a list of two values', counted('3, 4', 'abc')),
  rejected('9112 6.3', 'a list with an empty element', counted('3,', 'abc')),
  rejected('9112 6.3', 'two equal headers', counted('3\r\nContent-Length: 3', 'abc')),
  rejected('9112 6.3', 'two different headers', counted('3\r\nContent-Length: 4', 'abcd')),
  rejected('9112 6.2', 'a number beyond 64 bits', counted('18446744073709551616')),
  rejected('9112 6.2', 'a number with many more digits', counted('9'.repeat(200))),
  rejected('9112 6.2', 'a number beyond the safe integers', counted('9007199254740993')),
])

// biome-ignore format: a table
wireTests('Transfer-Encoding', gateway, [
  served('9112 7.1', 'may be chunked', coded('chunked', '3\r\nabc\r\n0\r\n\r\n'), 'POST /v1/tracks abc'),
  served('9112 7', 'may be written in any case', coded('ChUnKeD', '3\r\nabc\r\n0\r\n\r\n'), 'POST /v1/tracks abc'),
  served('9110 5.5', 'may have spaces and tabs around it',  coded(' \tchunked', '3\r\nabc\r\n0\r\n\r\n'), 'POST /v1/tracks abc'),
  served('9110 9.3.1', 'may come with GET', `${head('GET /v1/tracks', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`, 'GET /v1/tracks abc'),
  served('9110 9.3.5', 'may come with DELETE', `${head('DELETE /v1/tracks/t', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`, 'DELETE /v1/tracks/t abc'),
  ['9110 9.3.2', 'may come with HEAD', `${head('HEAD /v1/tracks', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`, ['HEAD 200'], 'open', ['HEAD /v1/tracks abc']],
  rejected('9112 6.1', 'Content-Length before it', coded('chunked\r\nContent-Length: 5')),
  rejected('9112 6.1', 'Content-Length after it', counted('5\r\nTransfer-Encoding: chunked', '0\r\n\r\n')),
  rejected('9112 6.1', 'a Content-Length of 0', coded('chunked\r\nContent-Length: 0')),
  rejected('9112 6.1', 'HTTP/1.0', `${lines('POST /v1/tracks HTTP/1.0', 'Host: a', 'Transfer-Encoding: chunked')}0\r\n\r\n`),
  rejected('9112 6.1', 'HTTP/1.0 with keep-alive', `${lines('POST /v1/tracks HTTP/1.0', 'Host: a', 'Connection: keep-alive', 'Transfer-Encoding: chunked')}0\r\n\r\n`),
  rejected('9112 6.1', 'chunked twice in a list', coded('chunked, chunked')),
  rejected('9112 6.1', 'two headers', coded('chunked\r\nTransfer-Encoding: chunked')),
  rejected('9112 6.1', 'gzip', coded('gzip')),
  rejected('9112 6.1', 'gzip and chunked', coded('gzip, chunked')),
  rejected('9112 6.3', 'another coding after chunked', coded('chunked, gzip')),
  rejected('9112 7', 'identity', coded('identity')),
  rejected('9112 6.1', 'chunked and identity', coded('chunked, identity')),
  rejected('9112 6.1', 'two codings in two headers', coded('gzip\r\nTransfer-Encoding: chunked')),
  rejected('9112 6.1', 'an empty value', coded('')),
  rejected('9112 6.1', 'a list with an empty element', coded(',chunked')),
  rejected('9112 7.1', 'parameters', coded('chunked;q=1')),
  rejected('9112 6.1', 'quotes', coded('"chunked"')),
  served('9110 5.5', 'may have a space after it', coded('chunked ', '3\r\nabc\r\n0\r\n\r\n'), 'POST /v1/tracks abc'),
  rejected('9112 6.1', 'a tab after it, which some servers read as another coding', coded('chunked\t')),
  rejected('9112 6.1', 'a control character before it', coded('\x0bchunked')),
  rejected('9112 6.1', 'text before it', coded('xchunked')),
  rejected('9112 6.1', 'text after it', coded('chunkedx')),
])

// biome-ignore format: a table
wireTests('a chunk', gateway, [
  served('9112 7.1', 'may have a size in capitals', chunks('A\r\nabcdefghij\r\n0\r\n\r\n'), 'POST /v1/tracks abcdefghij'),
  served('9112 7.1', 'may have zeros before its size', chunks('0003\r\nabc\r\n00\r\n\r\n'), 'POST /v1/tracks abc'),
  served('9112 7.1', 'may be the last of many', chunks('1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n'), 'POST /v1/tracks abc'),
  served('9112 7.1', 'may hold line ends', chunks('4\r\n\r\n\r\n\r\n0\r\n\r\n'), 'POST /v1/tracks \r\n\r\n'),
  served('9112 7.1.1', 'may have an extension, which is not forwarded', chunks('3;a=b;c\r\nabc\r\n0;d\r\n\r\n'), 'POST /v1/tracks abc'),
  served('9112 7.1.1', 'may have a quoted extension', chunks('3;a="b;c"\r\nabc\r\n0\r\n\r\n'), 'POST /v1/tracks abc'),
  served('9112 7.1.2', 'may be followed by trailers, which are not forwarded', chunks('3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n'), 'POST /v1/tracks abc'),
  served('9110 6.5.1', 'may be followed by trailers that would frame', chunks('3\r\nabc\r\n0\r\nX: y\r\nHost: b\r\nAuthorization: Bearer b\r\n\r\n'), 'POST /v1/tracks abc'),
  rejected('9112 7.1', 'a sign before the size', chunks('+3\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'a negative size', chunks('-3\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'a prefix before the size', chunks('0x3\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'an underscore in the size', chunks('0_3\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'a space before the size', chunks(' 3\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'a size that is not hexadecimal', chunks('g\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'a missing size', chunks('\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'a missing size before an extension', chunks(';a\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'a size beyond 64 bits', chunks('10000000000000003\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'a size with many more digits', chunks(`${'F'.repeat(40)}\r\nabc\r\n0\r\n\r\n`)),
  rejected('9112 7.1', 'a NUL in the size', chunks('3\0\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'a size that ends without CR and LF', chunks('3\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'a size that ends with CR without LF', chunks('3\rabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'data that ends without CR and LF', chunks('3\r\nabc\n0\r\n\r\n')),
  rejected('9112 7.1', 'data longer than the size', chunks('3\r\nabcd\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'data longer than the size by two bytes', chunks('3\r\nabcXX0\r\n\r\n')),
  rejected('9112 7.1', 'data shorter than the size', chunks('5\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'a bare line feed after the last chunk', chunks('0\n\n')),
  rejected('9112 7.1.1', 'an extension without a name', chunks('3;\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1.1', 'an extension on two lines', chunks('3;a\nb\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1.1', 'an extension with a carriage return', chunks('3;a\rb\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1.1', 'an extension with an unclosed quote', chunks('3;a="b\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1.1', 'an extension with a line end in quotes', chunks('3;a="b\r\n"\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1.1', 'an extension that is too long', chunks(`3;${'a'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`), 413),
  rejected('9112 7.1.2', 'a trailer with a space before the colon', chunks('0\r\nX : y\r\n\r\n')),
  rejected('9112 7.1.2', 'a folded trailer', chunks('0\r\nX: y\r\n z\r\n\r\n')),
  rejected('9112 7.1.2', 'a trailer with a NUL', chunks('0\r\nX: \0\r\n\r\n')),
  rejected('9112 7.1.2', 'trailers that are too long', chunks(`0\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`), 431),
  ['9112 8', 'without a last one leaves the request unfinished', chunks('3\r\nabc\r\n'), [], 'waits'],
  ['9112 8', 'whose trailers do not end leaves the request unfinished', chunks('0\r\n'), [], 'waits'],
])

describe('an invalid chunk', () => {
  const invalidChunks = [
    ['an invalid size', 'zz\r\n'],
    ['a size beyond 64 bits', '10000000000000000\r\n'],
    ['a line feed alone', '1\nb\r\n'],
    ['more bytes than its size', '1\r\nbb\r\n'],
    ['the head of another request', 'GET /v1/webhooks/billing HTTP/1.1\r\n'],
  ] as const

  it.each(invalidChunks)('RFC 9112 8: causes a 400 and no request to the core: %s', async (_, invalid) => {
    const before = gateway.core.requests.length
    const client = await openRawClient(portOf(gateway))
    client.send(chunks('1\r\na\r\n'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    client.send(invalid)
    const response = await client.receiveResponse()
    expectValidResponse(response)
    expect(response.status).toBe(400)
    expect(gateway.core.requests).toHaveLength(before)
    client.socket.destroy()
  })

  it.each(invalidChunks)(
    'RFC 9112 8: causes a 400 and leaves a streamed request incomplete: %s',
    async (_, invalid) => {
      const { core } = gateway
      const client = await openRawClient(portOf(gateway))
      const before = core.requests.length
      core.nextReplies.push(() => {})
      client.send(chunks(`100001\r\n${'a'.repeat(0x100001)}\r\n`))
      await expect.poll(() => core.requests.length).toBe(before + 1)
      client.send(invalid)
      const response = await client.receiveResponse()
      expectValidResponse(response)
      expect(response.status).toBe(400)
      await expect(core.requests.at(-1)?.body).rejects.toThrow('the connection ended inside the body')
      client.socket.destroy()
    },
  )
})
