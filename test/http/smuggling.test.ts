import { startTestGateway } from '#test/support/gateway.ts'
import { get } from '#test/support/raw-client.ts'
import { head, lines, type WireCase, wireTests } from './wire.ts'

const gateway = startTestGateway({ core: 'recording' })

// The request that an attacker tries to smuggle to the core or to the next client.
const hidden = get('/v1/webhooks/billing')
const hex = (text: string) => text.length.toString(16)
const post = (...headers: readonly string[]) => head('POST /v1/tracks', ...headers)

const rejected = (rfc: string, name: string, bytes: string, status = 400): WireCase => [
  rfc,
  name,
  bytes,
  [status],
  'closed',
]
const oneBody = (rfc: string, name: string, bytes: string, body: string): WireCase => [
  rfc,
  name,
  bytes,
  [200],
  'open',
  [`POST /v1/tracks ${body}`],
]
/** The head announces no body, so what follows is parsed as another request, which is not sent to the core. */
const nextRequest = (rfc: string, name: string, bytes: string, responses: readonly number[]): WireCase => [
  rfc,
  name,
  bytes,
  responses,
  'closed',
  ['POST /v1/tracks'],
]

const chunkedThenHidden = `0\r\n\r\n${hidden}`

// biome-ignore format: a table
wireTests('a length and chunks', gateway, [
  rejected('9112 6.3', 'CL.TE', post('Content-Length: 6', 'Transfer-Encoding: chunked') + chunkedThenHidden),
  rejected('9112 6.3', 'TE.CL', `${post('Transfer-Encoding: chunked', 'Content-Length: 4')}${hex(hidden)}\r\n${hidden}\r\n0\r\n\r\n`),
  rejected('9112 6.3', 'CL.TE of 0', post('Content-Length: 0', 'Transfer-Encoding: chunked') + chunkedThenHidden),
  rejected('9112 6.3', 'CL.TE over the whole message', post(`Content-Length: ${chunkedThenHidden.length}`, 'Transfer-Encoding: chunked') + chunkedThenHidden),
  rejected('9112 6.3', 'CL.TE where Connection lists the length', post('Connection: content-length', 'Content-Length: 6', 'Transfer-Encoding: chunked') + chunkedThenHidden),
  rejected('9112 6.3', 'CL.TE where Connection lists the coding', post('Connection: transfer-encoding', 'Content-Length: 6', 'Transfer-Encoding: chunked') + chunkedThenHidden),
  rejected('9112 6.1', 'CL.TE in HTTP/1.0', lines('POST /v1/tracks HTTP/1.0', 'Host: a', 'Connection: keep-alive', 'Content-Length: 6', 'Transfer-Encoding: chunked') + chunkedThenHidden),
  rejected('9112 6.3', 'CL.CL', post('Content-Length: 0', `Content-Length: ${hidden.length}`) + hidden),
  rejected('9112 6.3', 'CL.CL with many headers between', post('Content-Length: 0', ...Array.from({ length: 120 }, (_, at) => `X-${at}: y`), `Content-Length: ${hidden.length}`) + hidden),
  rejected('9112 6.3', 'CL.CL in one list', post(`Content-Length: 0, ${hidden.length}`) + hidden),
  rejected('9112 6.3', 'CL.TE with GET', head('GET /v1/tracks', 'Content-Length: 6', 'Transfer-Encoding: chunked') + chunkedThenHidden),
])

// biome-ignore format: a table
wireTests('an obfuscated Transfer-Encoding', gateway, [
  ...([
    ['two codings', 'Transfer-Encoding: chunked, identity'],
    ['a made-up coding', 'Transfer-Encoding: xchunked'],
    ['a coding after chunked', 'Transfer-Encoding: chunked, cow'],
    ['a second header', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: cow'],
    ['a second header in front', 'Transfer-Encoding: cow\r\nTransfer-Encoding: chunked'],
    ['an empty second header', 'Transfer-Encoding: chunked\r\nTransfer-Encoding:'],
    ['a space before the colon', 'Transfer-Encoding : chunked'],
    ['a tab before the colon', 'Transfer-Encoding\t: chunked'],
    ['a space before the name', ' Transfer-Encoding: chunked'],
    ['a tab before the name', '\tTransfer-Encoding: chunked'],
    ['a fold before the value', 'Transfer-Encoding:\r\n chunked'],
    ['a fold inside the value', 'Transfer-Encoding: chun\r\n ked'],
    ['a line feed before the value', 'Transfer-Encoding:\n chunked'],
    ['a line feed before the name', 'X: y\nTransfer-Encoding: chunked'],
    ['a carriage return before the name', 'X: y\rTransfer-Encoding: chunked'],
    ['a carriage return after the name', 'Transfer-Encoding\r: chunked'],
    ['a NUL after the name', 'Transfer-Encoding\0: chunked'],
    ['a NUL after the value', 'Transfer-Encoding: chunked\0'],
    ['a vertical tab before the value', 'Transfer-Encoding: \x0bchunked'],
    ['a form feed before the value', 'Transfer-Encoding: \x0cchunked'],
    ['a no-break space after the name', 'Transfer-Encoding\xa0: chunked'],
    ['a no-break space before the value', 'Transfer-Encoding: \xa0chunked'],
    ['quotes', "Transfer-Encoding: 'chunked'"],
    ['a long s in its bytes', 'Transfer-Encoding: chunked\xc5\xbf'],
    ['a comma in front', 'Transfer-Encoding: , chunked'],
    ['a comma after', 'Transfer-Encoding: chunked,'],
    ['no colon', 'Transfer-Encoding chunked'],
    ['a colon in front', ':Transfer-Encoding: chunked'],
  ] as const).map(([name, header]) => rejected('9112 6.1', `TE.TE: ${name}`, post(header) + chunkedThenHidden)),
  nextRequest('9110 5.1', 'an underscore makes it another header', post('Transfer_Encoding: chunked') + chunkedThenHidden, [200]),
  nextRequest('9110 5.1', 'an underscore makes it another header, with a length', `${post('Content_Length: 5', 'Content-Length: 0')}abcde${hidden}`, [200]),
  nextRequest('9110 8.4', 'Content-Encoding does not frame a body', post('Content-Encoding: chunked') + chunkedThenHidden, [200]),
  nextRequest('9110 10.1.4', 'TE does not frame a body', post('TE: chunked') + chunkedThenHidden, [200]),
  nextRequest('9110 5.1', 'a made-up prefix makes it another header', post('X-Transfer-Encoding: chunked') + chunkedThenHidden, [200]),
])

// biome-ignore format: a table
wireTests('a request inside a body', gateway, [
  oneBody('9112 6.2', 'stays there with a length', post(`Content-Length: ${hidden.length}`) + hidden, hidden),
  oneBody('9112 7.1', 'stays there with chunks', `${post('Transfer-Encoding: chunked')}${hex(hidden)}\r\n${hidden}\r\n0\r\n\r\n`, hidden),
  oneBody('9110 7.6.1', 'stays there even if Connection lists the length', post('Connection: content-length', `Content-Length: ${hidden.length}`) + hidden, hidden),
  oneBody('9110 7.6.1', 'stays there even if Connection lists the coding', `${post('Connection: transfer-encoding', 'Transfer-Encoding: chunked')}${hex(hidden)}\r\n${hidden}\r\n0\r\n\r\n`, hidden),
  oneBody('9112 7.1.1', 'stays there with a chunk extension', `${post('Transfer-Encoding: chunked')}${hex(hidden)};x="a\tb"\r\n${hidden}\r\n0;y\r\n\r\n`, hidden),
  oneBody('9112 7.1.2', 'stays there with trailers', `${post('Transfer-Encoding: chunked')}${hex(hidden)}\r\n${hidden}\r\n0\r\nX: y\r\n\r\n`, hidden),
  oneBody('9110 15.1', 'stays there after an expectation that the client does not wait for', post(`Content-Length: ${hidden.length}`, 'Expect: 100-continue') + hidden, hidden),
  ['9112 6.3', 'stays there with GET', head('GET /v1/tracks', `Content-Length: ${hidden.length}`) + hidden, [200], 'open', [`GET /v1/tracks ${hidden}`]],
  ['9112 6.3', 'stays there with a page that reads no body', head('GET /healthz', `Content-Length: ${hidden.length}`) + hidden, [200], 'open'],
  ['9112 6.3', 'stays there with a native route that reads no body', head('GET /v1/libraries', `Content-Length: ${hidden.length}`) + hidden, [401], 'open'],
  ['9112 6.3', 'stays there with a native route that fails before it reads the body', head('POST /v1/libraries', `Content-Length: ${hidden.length}`) + hidden, [401], 'open'],
  ['9112 6.3', 'stays there with chunks that are not read', `${head('GET /v1/libraries', 'Transfer-Encoding: chunked')}${hex(hidden)}\r\n${hidden}\r\n0\r\n\r\n`, [401], 'open'],
  ['9112 6.3', 'stays there with OPTIONS *', head('OPTIONS *', `Content-Length: ${hidden.length}`) + hidden, [204], 'open'],
  ['9110 10.1.1', 'a request in the body after an unknown expectation', post(`Content-Length: ${hidden.length}`, 'Expect: 100-continue, y') + hidden, [417], 'closed'],
  ['9110 10.1.1', 'a request in the body after a misspelled expectation', post(`Content-Length: ${hidden.length}`, 'Expect: y 100-continue') + hidden, [417], 'closed'],
  // After any response other than 100, the client may send the body or its next request, so the connection closes.
  ['9110 10.1.1', 'a request in the body, which the client sends without waiting for 100 Continue', head('POST /v1/libraries', `Content-Length: ${hidden.length}`, 'Expect: 100-continue') + hidden, [401], 'closed'],
])

// biome-ignore format: a table
wireTests('a rejected request before another request', gateway, [
  rejected('9112 9.6', 'a bad target', get('/v1/../x') + hidden),
  rejected('9112 9.6', 'a bad host', lines('GET /v1/tracks HTTP/1.1', 'Host: a b') + hidden),
  rejected('9112 9.6', 'a bad length', post('Content-Length: +0') + get('/v1/tracks')),
  rejected('9112 9.6', 'a bad header', head('GET /v1/tracks', 'X Y: z') + get('/v1/tracks')),
  rejected('9112 9.6', 'TRACE', head('TRACE /v1/tracks') + get('/v1/tracks'), 405),
  rejected('9112 9.6', 'CONNECT', head('CONNECT api.example:443') + get('/v1/tracks'), 405),
  rejected('9112 9.6', 'an unknown expectation', head('GET /v1/tracks', 'Expect: x') + get('/v1/tracks'), 417),
  rejected('9112 9.6', 'a head that is too large', head('GET /v1/tracks', `X: ${'a'.repeat(17_000)}`) + get('/v1/tracks'), 431),
])

// biome-ignore format: a table
wireTests('an invalid line break', gateway, [
  rejected('9112 2.2', 'LF after a header', head('GET /v1/tracks', 'X: y\nGET /v1/webhooks/billing HTTP/1.1')),
  rejected('9112 2.2', 'CR after a header', head('GET /v1/tracks', 'X: y\rGET /v1/webhooks/billing HTTP/1.1')),
  rejected('9112 2.2', 'LF LF after the head', `GET /v1/tracks HTTP/1.1\r\nHost: a\n\n${hidden}`),
  rejected('9112 2.2', 'CR CR after the head', `GET /v1/tracks HTTP/1.1\r\nHost: a\r\r${hidden}`),
  rejected('9112 2.2', 'CR LF LF after the head', `GET /v1/tracks HTTP/1.1\r\nHost: a\r\n\n${hidden}`),
  rejected('9112 2.2', 'LF after the request line', `GET /v1/tracks HTTP/1.1\nHost: a\r\n\r\n${hidden}`),
  rejected('3986 2.1', 'one that is encoded in a path', get('/v1/tracks%0d%0aGET%20/v1/webhooks/billing')),
  rejected('3986 2.1', 'one that is overlong in a path', get('/v1/tracks%e5%98%8a%e5%98%8dx%c4%8a%00')),
  ['3986 2.1', 'stays encoded in a query', get('/v1/tracks?%0d%0aX:y'), [200], 'open', ['GET /v1/tracks?%0d%0aX:y']],
  rejected('9112 7.1.1', 'LF after a chunk extension (TERM.EXT)', `${post('Transfer-Encoding: chunked')}2;\nxx\r\n${hex(hidden)}\r\n0\r\n\r\n${hidden}0\r\n\r\n`),
  rejected('9112 7.1.1', 'CR after a chunk extension (EXT.TERM)', `${post('Transfer-Encoding: chunked')}2;\rxx\r\n${hex(hidden)}\r\n0\r\n\r\n${hidden}0\r\n\r\n`),
  rejected('9112 7.1', 'two other bytes after a chunk (SPILL)', `${post('Transfer-Encoding: chunked')}5\r\nabcdeXX${hex(hidden)}\r\n0\r\n\r\n${hidden}`),
  rejected('9112 7.1', 'LF after a chunk (TERM.SPILL)', `${post('Transfer-Encoding: chunked')}5\r\nabcde\n${hex(hidden)}\r\n0\r\n\r\n${hidden}`),
  rejected('9112 7.1.2', 'LF after a trailer', `${post('Transfer-Encoding: chunked')}0\r\nX: y\n\n${hidden}`),
])

// biome-ignore format: a table
wireTests('an ambiguous host', gateway, [
  rejected('9112 3.2', 'two with a fold', lines('GET /v1/tracks HTTP/1.1', 'Host: a', ' Host: b')),
  rejected('9112 3.2', 'two in one line', lines('GET /v1/tracks HTTP/1.1', 'Host: a, b')),
  rejected('9112 3.2', 'two separated by a line feed', lines('GET /v1/tracks HTTP/1.1', 'Host: a\nHost: b')),
  rejected('9112 3.2', 'two separated by a carriage return', lines('GET /v1/tracks HTTP/1.1', 'Host: a\rHost: b')),
  rejected('9112 3.2', 'two separated by a NUL', lines('GET /v1/tracks HTTP/1.1', 'Host: a\0b')),
  rejected('9112 3.2.2', 'one in the target and an invalid Host', lines('GET http://a/v1/tracks HTTP/1.1', 'Host: b/c')),
  rejected('9112 3.2.2', 'one in the target with a backslash', get('http://a\\@b/v1/tracks')),
  rejected('9112 3.2.2', 'one in the target with an encoded slash', get('http://a%2fb/v1/tracks')),
])
