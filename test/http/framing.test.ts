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
  rejected('9112 6.3', 'has no sign', counted('+3', 'abc')),
  rejected('9112 6.3', 'is not negative', counted('-3', 'abc')),
  rejected('9112 6.3', 'has no zero in front', counted('03', 'abc')),
  rejected('9112 6.3', 'is not 00', counted('00')),
  rejected('9112 6.3', 'is not hexadecimal', counted('0x3', 'abc')),
  rejected('9112 6.3', 'has no letters', counted('a', 'abcabcabca')),
  rejected('9112 6.3', 'has no fraction', counted('3.0', 'abc')),
  rejected('9112 6.3', 'has no exponent', counted('3e0', 'abc')),
  rejected('9112 6.3', 'has no underscore', counted('1_0', 'abcabcabca')),
  rejected('9112 6.3', 'has no space inside', counted('1 0', 'abcabcabca')),
  rejected('9112 6.3', 'has no semicolon', counted('3;', 'abc')),
  rejected('9112 6.3', 'has no quotes', counted('"3"', 'abc')),
  rejected('9112 6.3', 'has no control character', counted('\x0b3', 'abc')),
  rejected('9112 6.3', 'has ASCII digits', counted('\xb3', 'abc')),
  rejected('9112 6.3', 'is not empty', counted('')),
  rejected('9112 6.3', 'is not folded', counted('\r\n 3', 'abc')),
  rejected('9112 6.3', 'is no list of the same', counted('3, 3', 'abc')),
  rejected('9112 6.3', 'is no list of two', counted('3, 4', 'abc')),
  rejected('9112 6.3', 'is no list with nothing in it', counted('3,', 'abc')),
  rejected('9112 6.3', 'does not come twice', counted('3\r\nContent-Length: 3', 'abc')),
  rejected('9112 6.3', 'does not come twice and differ', counted('3\r\nContent-Length: 4', 'abcd')),
  rejected('9112 6.2', 'is not beyond 64 bits', counted('18446744073709551616')),
  rejected('9112 6.2', 'is not beyond all bits', counted('9'.repeat(200))),
  rejected('9112 6.2', 'is exact as a number', counted('9007199254740993')),
])

// biome-ignore format: a table
wireTests('Transfer-Encoding', gateway, [
  served('9112 7.1', 'may be chunked', coded('chunked', '3\r\nabc\r\n0\r\n\r\n'), 'POST /v1/tracks abc'),
  served('9112 7', 'may be written in any case', coded('ChUnKeD', '3\r\nabc\r\n0\r\n\r\n'), 'POST /v1/tracks abc'),
  served('9110 5.5', 'may have spaces and tabs around it',  coded(' \tchunked', '3\r\nabc\r\n0\r\n\r\n'), 'POST /v1/tracks abc'),
  served('9110 9.3.1', 'may come with GET', `${head('GET /v1/tracks', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`, 'GET /v1/tracks abc'),
  served('9110 9.3.5', 'may come with DELETE', `${head('DELETE /v1/tracks/t', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`, 'DELETE /v1/tracks/t abc'),
  ['9110 9.3.2', 'may come with HEAD', `${head('HEAD /v1/tracks', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`, ['HEAD 200'], 'open', ['HEAD /v1/tracks abc']],
  rejected('9112 6.1', 'does not come with Content-Length', coded('chunked\r\nContent-Length: 5')),
  rejected('9112 6.1', 'does not come after Content-Length', counted('5\r\nTransfer-Encoding: chunked', '0\r\n\r\n')),
  rejected('9112 6.1', 'does not come with a Content-Length of 0', coded('chunked\r\nContent-Length: 0')),
  rejected('9112 6.1', 'is not of HTTP/1.0', `${lines('POST /v1/tracks HTTP/1.0', 'Host: a', 'Transfer-Encoding: chunked')}0\r\n\r\n`),
  rejected('9112 6.1', 'is not of HTTP/1.0 that stays', `${lines('POST /v1/tracks HTTP/1.0', 'Host: a', 'Connection: keep-alive', 'Transfer-Encoding: chunked')}0\r\n\r\n`),
  rejected('9112 6.1', 'is not chunked twice', coded('chunked, chunked')),
  rejected('9112 6.1', 'does not come twice', coded('chunked\r\nTransfer-Encoding: chunked')),
  rejected('9112 6.1', 'is not gzip', coded('gzip')),
  rejected('9112 6.1', 'is not gzip and chunked', coded('gzip, chunked')),
  rejected('9112 6.3', 'does not end with another coding', coded('chunked, gzip')),
  rejected('9112 7', 'is not identity', coded('identity')),
  rejected('9112 6.1', 'is not chunked and identity', coded('chunked, identity')),
  rejected('9112 6.1', 'is not split over two headers', coded('gzip\r\nTransfer-Encoding: chunked')),
  rejected('9112 6.1', 'is not empty', coded('')),
  rejected('9112 6.1', 'is no list with nothing in it', coded(',chunked')),
  rejected('9112 7.1', 'has no parameters', coded('chunked;q=1')),
  rejected('9112 6.1', 'is not quoted', coded('"chunked"')),
  served('9110 5.5', 'may have a space after it', coded('chunked ', '3\r\nabc\r\n0\r\n\r\n'), 'POST /v1/tracks abc'),
  rejected('9112 6.1', 'has no tab after it, which some servers read as another coding', coded('chunked\t')),
  rejected('9112 6.1', 'has no control character before it', coded('\x0bchunked')),
  rejected('9112 6.1', 'has nothing before it', coded('xchunked')),
  rejected('9112 6.1', 'has nothing after it', coded('chunkedx')),
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
  rejected('9112 7.1', 'has no sign before its size', chunks('+3\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'has no negative size', chunks('-3\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'has no prefix before its size', chunks('0x3\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'has no underscore in its size', chunks('0_3\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'has no space before its size', chunks(' 3\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'has a hexadecimal size', chunks('g\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'has a size', chunks('\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'has a size before its extension', chunks(';a\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'has a size within 64 bits', chunks('10000000000000003\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'has a size within all bits', chunks(`${'F'.repeat(40)}\r\nabc\r\n0\r\n\r\n`)),
  rejected('9112 7.1', 'has a NUL nowhere in its size', chunks('3\0\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'ends its size with CR and LF', chunks('3\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'ends its size with LF after CR', chunks('3\rabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'ends with CR and LF', chunks('3\r\nabc\n0\r\n\r\n')),
  rejected('9112 7.1', 'is not longer than its size', chunks('3\r\nabcd\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'is not longer than its size by two bytes', chunks('3\r\nabcXX0\r\n\r\n')),
  rejected('9112 7.1', 'is not shorter than its size', chunks('5\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1', 'has no line feed alone after the last', chunks('0\n\n')),
  rejected('9112 7.1.1', 'has an extension with a name', chunks('3;\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1.1', 'has an extension on one line', chunks('3;a\nb\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1.1', 'has an extension without a carriage return', chunks('3;a\rb\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1.1', 'has an extension whose quotes end', chunks('3;a="b\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1.1', 'has an extension whose quotes hold no line end', chunks('3;a="b\r\n"\r\nabc\r\n0\r\n\r\n')),
  rejected('9112 7.1.1', 'has an extension of bounded length', chunks(`3;${'a'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`), 413),
  rejected('9112 7.1.2', 'has trailers without a space before the colon', chunks('0\r\nX : y\r\n\r\n')),
  rejected('9112 7.1.2', 'has trailers that are not folded', chunks('0\r\nX: y\r\n z\r\n\r\n')),
  rejected('9112 7.1.2', 'has trailers without a NUL', chunks('0\r\nX: \0\r\n\r\n')),
  rejected('9112 7.1.2', 'has trailers of bounded length', chunks(`0\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`), 431),
  ['9112 8', 'without a last one leaves the request unfinished', chunks('3\r\nabc\r\n'), [], 'waits'],
  ['9112 8', 'whose trailers do not end leaves the request unfinished', chunks('0\r\n'), [], 'waits'],
])

describe('an invalid chunk after a valid one has been forwarded', () => {
  it.each([
    ['an invalid size', 'zz\r\n'],
    ['a size beyond 64 bits', '10000000000000000\r\n'],
    ['a line feed alone', '1\nb\r\n'],
    ['more bytes than its size', '1\r\nbb\r\n'],
    ['the head of another request', 'GET /v1/webhooks/billing HTTP/1.1\r\n'],
  ])('RFC 9112 8: returns 400 and leaves the request to the core incomplete: %s', async (_, invalid) => {
    const { core } = gateway
    const client = await openRawClient(portOf(gateway))
    const before = core.requests.length
    core.nextReplies.push(() => {})
    client.send(chunks('1\r\na\r\n'))
    await expect.poll(() => core.requests.length).toBe(before + 1)
    client.send(invalid)
    const response = await client.receiveResponse()
    expectValidResponse(response)
    expect(response.status).toBe(400)
    await expect(core.requests.at(-1)?.body).rejects.toThrow('the connection ended inside the body')
    client.socket.destroy()
  })
})
