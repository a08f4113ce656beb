import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, sendRaw } from '#test/support/raw-client.ts'
import { recordCore } from './record-core.ts'
import { collectCoreRequests, head, portOf, replyWhenComplete } from './wire.ts'

const gateway = startTestGateway({ core: 'recording' })

const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code))
const delimiters = [...'"(),/:;<=>?@[\\]{}']
const beyondAscii = ['\x80', '\xa0', '\xff']
const every = [...controls, ' ', ...delimiters, '\x7f', ...beyondAscii]

const without = (list: readonly string[], ...dropped: readonly string[]) =>
  list.filter((byte) => !dropped.includes(byte))

const blank = ['\t', ' ']
const text = [...blank, ...delimiters, ...beyondAscii]

const start = (line: string) => `${line}\r\nHost: a\r\n\r\n`
const hosted = (line: string) => `GET /v1/tracks HTTP/1.1\r\n${line}\r\n\r\n`
const post = (...headers: readonly string[]) => head('POST /v1/tracks', ...headers)
const coded = (line: string) => `${post(line)}0\r\n\r\n`
const chunks = (body: string) => post('Transfer-Encoding: chunked') + body

type SeamPosition = readonly [
  rfc: string,
  place: string,
  message: (byte: string) => string,
  accepted: readonly string[],
]

const positions: readonly SeamPosition[] = [
  ['9112 2.2', 'before a method', (byte) => byte + get('/v1/tracks'), ['\r', '\n']],
  ['9110 9.1', 'in a method', (byte) => start(`G${byte}ET /v1/tracks HTTP/1.1`), []],
  ['9112 3', 'after a method', (byte) => start(`GET${byte}/v1/tracks HTTP/1.1`), [' ']],
  ['9112 3', 'before a target', (byte) => start(`GET ${byte}/v1/tracks HTTP/1.1`), [' ']],
  ['9112 3.2', 'in a target', (byte) => start(`GET /v1/a${byte}b HTTP/1.1`), without(delimiters, '\\')],
  ['9112 3.2', 'in a query', (byte) => start(`GET /v1/a?b${byte}c HTTP/1.1`), delimiters],
  ['9112 3', 'after a target', (byte) => start(`GET /v1/tracks${byte}HTTP/1.1`), [' ']],
  ['9112 3', 'before a version', (byte) => start(`GET /v1/tracks ${byte}HTTP/1.1`), [' ']],
  ['9112 2.3', 'in a version', (byte) => start(`GET /v1/tracks HTTP/1${byte}1`), []],
  ['9112 3', 'after a version', (byte) => start(`GET /v1/tracks HTTP/1.1${byte}`), []],
  ['9112 2.2', 'for CR', (byte) => `GET /v1/tracks HTTP/1.1${byte}\nHost: a\r\n\r\n`, ['\r']],
  ['9112 2.2', 'for LF', (byte) => `GET /v1/tracks HTTP/1.1\r${byte}Host: a\r\n\r\n`, ['\n']],
  ['9112 2.2', 'before the first header', (byte) => hosted(`${byte}Host: a`), []],
  ['9110 5.1', 'after the name of a host', (byte) => hosted(`Host${byte}: a`), []],
  ['9110 5.5', 'before a host', (byte) => hosted(`Host:${byte}a`), blank],
  ['9112 3.2', 'in a host', (byte) => hosted(`Host: a${byte}b`), []],
  ['9112 3.2', 'after a host', (byte) => hosted(`Host: a${byte}`), [...blank, ':']],
  ['9112 3.2', 'before a port', (byte) => hosted(`Host: a:${byte}1`), []],
  ['9110 5.1', 'in the name of a header', (byte) => get('/v1/tracks', `X${byte}Y: z`), [':']],
  ['9110 5.5', 'in the value of a header', (byte) => get('/v1/tracks', `X: y${byte}z`), text],
  ['9112 5.2', 'before a later header', (byte) => get('/v1/tracks', 'X: y', `${byte}Z: a`), []],
  ['9112 2.1', 'before the end of a head', (byte) => `GET /v1/tracks HTTP/1.1\r\nHost: a\r\n${byte}\r\n`, []],
  ['9112 2.1', 'at the end of a head', (byte) => `GET /v1/tracks HTTP/1.1\r\nHost: a\r\n\r${byte}`, ['\n']],
  ['9112 6.1', 'before Transfer-Encoding', (byte) => coded(`${byte}Transfer-Encoding: chunked`), []],
  ['9112 6.1', 'in Transfer-Encoding', (byte) => coded(`Transfer${byte}Encoding: chunked`), [':']],
  ['9112 6.1', 'after Transfer-Encoding', (byte) => coded(`Transfer-Encoding${byte}: chunked`), []],
  ['9110 5.5', 'before a coding', (byte) => coded(`Transfer-Encoding:${byte}chunked`), blank],
  ['9112 6.1', 'in a coding', (byte) => coded(`Transfer-Encoding: chun${byte}ked`), []],
  ['9112 6.1', 'after a coding', (byte) => coded(`Transfer-Encoding: chunked${byte}`), [' ']],
  ['9112 6.2', 'after Content-Length', (byte) => `${post(`Content-Length${byte}: 3`)}abc`, []],
  ['9110 5.5', 'before a length', (byte) => `${post(`Content-Length: ${byte}3`)}abc`, blank],
  ['9112 6.2', 'in a length', (byte) => `${post(`Content-Length: 1${byte}0`)}abcdefghij`, []],
  ['9110 5.5', 'after a length', (byte) => `${post(`Content-Length: 3${byte}`)}abc`, blank],
  ['9112 7.1', 'before the size of a chunk', (byte) => chunks(`${byte}3\r\nabc\r\n0\r\n\r\n`), []],
  ['9112 7.1', 'after the size of a chunk', (byte) => chunks(`3${byte}\r\nabc\r\n0\r\n\r\n`), []],
  ['9112 7.1', 'for the LF of a size', (byte) => chunks(`3\r${byte}abc\r\n0\r\n\r\n`), ['\n']],
  ['9112 7.1', 'for the CR of a chunk', (byte) => chunks(`3\r\nabc${byte}\n0\r\n\r\n`), ['\r']],
  ['9112 7.1', 'for the LF of a chunk', (byte) => chunks(`3\r\nabc\r${byte}0\r\n\r\n`), ['\n']],
  [
    '9112 7.1.1',
    'in a quoted extension',
    (byte) => chunks(`3;a="b${byte}c"\r\nabc\r\n0\r\n\r\n`),
    without(text, '"'),
  ],
  ['9112 7.1.2', 'before trailers', (byte) => chunks(`3\r\nabc\r\n0\r\n${byte}\r\n`), []],
  [
    '9112 7.1.2',
    'in the name of a trailer',
    (byte) => chunks(`3\r\nabc\r\n0\r\nX${byte}Y: z\r\n\r\n`),
    [':'],
  ],
  [
    '9112 7.1.2',
    'in the value of a trailer',
    (byte) => chunks(`3\r\nabc\r\n0\r\nX: y${byte}z\r\n\r\n`),
    text,
  ],
  ['9112 7.1', 'at the end of a body', (byte) => chunks(`3\r\nabc\r\n0\r\n\r${byte}`), ['\n']],
  [
    '9110 10.1.1',
    'after an expectation',
    (byte) => `${post('Content-Length: 3', `Expect: 100-continue${byte}`)}abc`,
    blank,
  ],
]

describe('a byte at a position where few bytes are valid', () => {
  it.each(positions)('RFC %s: is rejected unless it is valid %s', async (_rfc, place, message, accepted) => {
    const recording = recordCore(gateway.core)
    recording.takeNew()
    replyWhenComplete(gateway, every.length)
    const statuses = await Promise.all(
      every.map(async (byte) => [byte, (await sendRaw(portOf(gateway), message(byte))).status] as const),
    )
    const served = statuses.filter(([, status]) => status < 300).map(([byte]) => byte)
    expect(served.sort()).toEqual([...accepted].sort())
    expect(statuses.filter(([, status]) => status >= 500)).toEqual([])
    // A request that is invalid after its first chunk has already been forwarded, and stays incomplete at the core.
    const received = (await collectCoreRequests(gateway, recording)).filter(
      (request) => request !== 'cut off',
    )
    expect(received, place).toHaveLength(accepted.length)
    expect(
      received.filter((request) => !/^(?:GET \/v1\/\S+|POST \/v1\/tracks(?: abc)?)$/.test(request)),
    ).toEqual([])
  })
})
