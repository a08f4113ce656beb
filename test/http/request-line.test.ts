import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, sendRaw } from '#test/support/raw-client.ts'
import { expectValidResponse, head, lines, portOf, type WireCase, wireTests } from './wire.ts'

const gateway = startTestGateway({ core: 'recording' })

const tracks = ['GET /v1/tracks']
const start = (line: string) => lines(line, 'Host: api.example')
const rejected = (rfc: string, name: string, bytes: string, status = 400): WireCase => [
  rfc,
  name,
  bytes,
  [status],
  'closed',
]

// biome-ignore format: a table
wireTests('a request line', gateway, [
  ['9112 3', 'is served as it is defined', get('/v1/tracks'), [200], 'open', tracks],
  ['9112 2.2', 'may follow an empty line', `\r\n${get('/v1/tracks')}`, [200], 'open', tracks],
  ['9112 2.2', 'may follow several empty lines', `\r\n\r\n\r\n${get('/v1/tracks')}`, [200], 'open', tracks],
  ['9112 3', 'may have more spaces, of which the core receives one', start('GET   /v1/tracks   HTTP/1.1'), [200], 'open', tracks],
  ['9112 3', 'has no space at its end', start('GET /v1/tracks HTTP/1.1 '), [400], 'closed'],
  ['9112 3', 'has no tab at its end', start('GET /v1/tracks HTTP/1.1\t'), [400], 'closed'],
  ['9112 3', 'has no tab after the method', start('GET\t/v1/tracks HTTP/1.1'), [400], 'closed'],
  ['9112 3', 'has no tab before the version', start('GET /v1/tracks\tHTTP/1.1'), [400], 'closed'],
  ['9112 3', 'has no form feed between its parts', start('GET\x0c/v1/tracks\x0cHTTP/1.1'), [400], 'closed'],
  ['9112 3', 'does not begin with a space', start(' GET /v1/tracks HTTP/1.1'), [400], 'closed'],
  ['9112 3', 'does not begin with a NUL', start('\0GET /v1/tracks HTTP/1.1'), [400], 'closed'],
  ['9112 3', 'has nothing after its version', start('GET /v1/tracks HTTP/1.1 HTTP/1.1'), [400], 'closed'],
  ['9112 3', 'has a target of at least one character', start('GET  HTTP/1.1'), [400], 'closed'],
  ['9112 3', 'has a version', start('GET /v1/tracks'), [400], 'closed'],
  ['9112 3', 'is no HTTP/0.9', 'GET /v1/tracks\r\n', [], 'waits'],
  ['9112 3', 'is no HTTP/0.9 with an empty line after it', 'GET /v1/tracks\r\n\r\n', [400], 'closed'],
  ['9112 2.2', 'does not end with a line feed alone', 'GET /v1/tracks HTTP/1.1\nHost: a\r\n\r\n', [400], 'closed'],
  ['9112 2.2', 'does not end with a carriage return alone', 'GET /v1/tracks HTTP/1.1\rHost: a\r\n\r\n', [400], 'closed'],
  ['9112 2.2', 'does not end with two carriage returns', 'GET /v1/tracks HTTP/1.1\r\r\nHost: a\r\n\r\n', [400], 'closed'],
  ['9112 3', 'may be 8000 bytes long', get(`/v1/${'a'.repeat(8000)}`), [200], 'open', [`GET /v1/${'a'.repeat(8000)}`]],
  rejected('9110 15.5.15', 'is rejected beyond the limit of the head', get(`/v1/${'a'.repeat(17_000)}`), 414),
  rejected('9110 15.5.15', 'is rejected beyond the limit also in a query', get(`/v1/tracks?${'a'.repeat(17_000)}`), 414),
  rejected('9110 15.5.15', 'is rejected beyond the limit also as an absolute target', get(`http://api.example/${'a'.repeat(17_000)}`), 414),
  rejected('9112 3', 'is rejected beyond the limit and beyond one read', get(`/v1/${'a'.repeat(150_000)}`), 414),
  rejected('9112 3', 'is rejected beyond the limit after an empty line', `\r\n${get(`/v1/${'a'.repeat(17_000)}`)}`, 414),
  rejected('9110 5.4', 'has no effect on the limit of the headers', get('/v1/tracks', `X: GET /${'a'.repeat(17_000)} HTTP/1.1`), 431),
])

// biome-ignore format: a table
wireTests('a version', gateway, [
  ['9112 2.3', 'may be 1.0, which closes', lines('GET /v1/tracks HTTP/1.0', 'Host: a'), [200], 'closed', tracks],
  ['9112 2.3', 'may be 1.0 without a host', lines('GET /v1/tracks HTTP/1.0'), [200], 'closed', tracks],
  rejected('9110 2.5', 'is not 2.0', start('GET /v1/tracks HTTP/2.0'), 505),
  rejected('9110 2.5', 'is not 1.2, which the parser does not know', start('GET /v1/tracks HTTP/1.2'), 505),
  rejected('9113 3.4', 'is not that of the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  rejected('9110 2.5', 'is not 0.9', start('GET /v1/tracks HTTP/0.9')),
  rejected('9110 2.5', 'is not 3.0', start('GET /v1/tracks HTTP/3.0'), 505),
  rejected('9110 2.5', 'is not 9.9', start('GET /v1/tracks HTTP/9.9'), 505),
  rejected('9112 2.3', 'has one digit each', start('GET /v1/tracks HTTP/1.10')),
  rejected('9112 2.3', 'has no zero in front', start('GET /v1/tracks HTTP/01.1')),
  rejected('9112 2.3', 'has a minor part', start('GET /v1/tracks HTTP/1')),
  rejected('9112 2.3', 'has a minor digit', start('GET /v1/tracks HTTP/1.')),
  rejected('9112 2.3', 'has a dot', start('GET /v1/tracks HTTP/1,1')),
  rejected('9112 2.3', 'has digits', start('GET /v1/tracks HTTP/1.x')),
  rejected('9112 2.3', 'has no sign', start('GET /v1/tracks HTTP/+1.1')),
  rejected('9112 2.3', 'is written in capitals', start('GET /v1/tracks http/1.1')),
  rejected('9112 2.3', 'has a slash', start('GET /v1/tracks HTTP1.1')),
  rejected('9112 2.3', 'has no space inside', start('GET /v1/tracks HTTP/ 1.1')),
  rejected('9112 2.3', 'is that of HTTP', start('GET /v1/tracks HTTPS/1.1')),
  rejected('9112 2.3', 'is not that of Icecast', start('GET /v1/tracks ICE/1.0')),
  // Node's parser reads it as HTTP/1.0 and does not expose it: the core receives a valid HTTP/1.1 request.
  ['9112 2.3', 'of RTSP is read as 1.0', start('GET /v1/tracks RTSP/1.0'), [200], 'closed', tracks],
])

// biome-ignore format: a table
wireTests('a method', gateway, [
  ['9110 9.3.2', 'may be HEAD, whose response has no body', head('HEAD /v1/tracks'), ['HEAD 200'], 'open', ['HEAD /v1/tracks']],
  ['9110 9.3.5', 'may be DELETE', head('DELETE /v1/tracks/t'), [200], 'open', ['DELETE /v1/tracks/t']],
  ['5789 2', 'may be PATCH', head('PATCH /v1/packs/p'), [200], 'open', ['PATCH /v1/packs/p']],
  ['9110 9.3.7', 'may be OPTIONS', head('OPTIONS /v1/tracks'), [200], 'open', ['OPTIONS /v1/tracks']],
  ['9110 9.1', 'may be one that is registered elsewhere', head('PROPFIND /v1/tracks'), [200], 'open', ['PROPFIND /v1/tracks']],
  ['9110 9.3.8', 'is not TRACE, which would show credentials', head('TRACE /v1/tracks'), [405], 'closed'],
  ['9110 9.3.6', 'is not CONNECT', lines('CONNECT core.example:443 HTTP/1.1', 'Host: core.example:443'), [405], 'closed'],
  ['9110 9.3.6', 'is not CONNECT with a path', head('CONNECT /v1/tracks'), [405], 'closed'],
  rejected('9110 9.1', 'is case-sensitive', start('get /v1/tracks HTTP/1.1'), 501),
  rejected('9110 9.1', 'is case-sensitive in each letter', start('GeT /v1/tracks HTTP/1.1'), 501),
  rejected('9110 9.1', 'is not unknown', start('FETCH /v1/tracks HTTP/1.1'), 501),
  rejected('9110 9.1', 'is not a known one with a suffix', start('GETS /v1/tracks HTTP/1.1'), 501),
  rejected('9110 9.1', 'is not a truncated known one', start('GE /v1/tracks HTTP/1.1'), 501),
  rejected('9110 9.1', 'is of HTTP, not of RTSP', start('DESCRIBE /v1/tracks HTTP/1.1'), 501),
  rejected('9110 9.1', 'may be unknown as any token', start("!#$%&'*+-.^_`|~ /v1/tracks HTTP/1.1"), 501),
  rejected('9110 9.1', 'is not unknown after an empty line', `\r\n${start('FETCH /v1/tracks HTTP/1.1')}`, 501),
  rejected('9110 9.1', 'is no unknown one of another protocol', start('FETCH /v1/tracks SIP/2.0')),
  rejected('9110 9.1', 'is not the preface of HTTP/2', start('PRI /v1/tracks HTTP/1.1')),
  rejected('9112 3', 'is not missing', start(' /v1/tracks HTTP/1.1')),
  rejected('9112 3', 'is not that of a response', lines('HTTP/1.1 200 OK', 'Host: a')),
  ['9110 9.3.6', 'is not CONNECT with a body', `${head('CONNECT api.example:443', 'Content-Length: 3')}abc`, [405], 'closed'],
  ['9112 9.3.2', 'is rejected in order: CONNECT', get('/v1/tracks') + head('CONNECT api.example:443'), [200, 405], 'closed', tracks],
  ['9112 9.3.2', 'is rejected in order: CONNECT after several', get('/v1/tracks') + get('/healthz') + head('CONNECT api.example:443') + get('/v1/packs'), [200, 200, 405], 'closed', tracks],
  rejected('9110 9.1', 'is a token without parentheses', start('GET() /v1/tracks HTTP/1.1')),
  rejected('9110 9.1', 'is a token without a NUL', start('GE\0T /v1/tracks HTTP/1.1')),
  rejected('9110 9.1', 'is a token of ASCII', start('G\xc9T /v1/tracks HTTP/1.1')),
  rejected('9110 9.1', 'is not quoted', start('"GET" /v1/tracks HTTP/1.1')),
  rejected('9110 9.1', 'is not endless', start(`${'A'.repeat(5000)} /v1/tracks HTTP/1.1`), 501),
  rejected('9112 3', 'is no handshake of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
])

// biome-ignore format: a table
wireTests('a target', gateway, [
  ['9112 3.2.2', 'may be absolute', get('http://api.example/v1/tracks'), [200], 'open', tracks],
  ['9112 3.2.2', 'may be absolute with another host than Host', get('http://other.example/v1/tracks'), [200], 'open', tracks],
  ['9112 3.2.2', 'may be absolute with a scheme in capitals', get('HTTP://api.example/v1/tracks'), [200], 'open', tracks],
  ['9112 3.2.2', 'may be absolute with a port and a query', get('https://api.example:8443/v1/tracks?x=1'), [200], 'open', ['GET /v1/tracks?x=1']],
  ['9112 3.2.2', 'may be absolute in HTTP/1.0 without Host', lines('GET http://api.example/v1/tracks HTTP/1.0'), [200], 'closed', tracks],
  ['9112 3.2.4', 'is the whole server for OPTIONS *', head('OPTIONS *'), [204], 'open'],
  ['9112 3.2.4', 'is the whole server for OPTIONS without a path', head('OPTIONS http://api.example'), [204], 'open'],
  rejected('9112 3.2', 'absolute still requires a Host in HTTP/1.1', lines('GET http://api.example/v1/tracks HTTP/1.1')),
  rejected('9112 3.2', 'absolute still requires a valid Host', lines('GET http://api.example/v1/tracks HTTP/1.1', 'Host: a b')),
  rejected('9110 4.2.4', 'has no user', get('http://user@api.example/v1/tracks')),
  rejected('9110 4.2.4', 'has no user and password', get('http://user:secret@api.example/v1/tracks')),
  rejected('9110 4.2.1', 'has a host when it is absolute', get('http:///v1/tracks')),
  rejected('9110 4.2.1', 'has more than a scheme', get('http://')),
  rejected('9112 3.2.2', 'has two slashes after its scheme', get('http:/v1/tracks')),
  rejected('9112 3.2.2', 'is of HTTP', get('ftp://api.example/v1/tracks')),
  rejected('9112 3.2.2', 'is not a file', get('file:///etc/passwd')),
  rejected('9112 3.2.2', 'has a numeric port', get('http://api.example:8a/v1/tracks')),
  rejected('9112 3.2.2', 'has one authority', get('http://api.example,other.example/v1/tracks')),
  rejected('9112 3.2.3', 'is no authority but for CONNECT', get('api.example:443')),
  rejected('9112 3.2.4', 'is no asterisk but for OPTIONS', get('*')),
  rejected('9112 3.2.4', 'is no asterisk with more after it', head('OPTIONS */v1')),
  rejected('9112 3.2.1', 'begins with a slash', get('v1/tracks')),
  rejected('9112 3.2.1', 'is no query alone', get('?x=1')),
  rejected('9112 3.2.1', 'is no authority after two slashes', get('//other.example/v1/tracks')),
  rejected('9112 3.2', 'has no fragment', get('/v1/tracks#top')),
  rejected('9112 3.2', 'has no fragment in its query', get('/v1/tracks?x#top')),
  rejected('9112 3.2', 'has no space', get('/v1/tra cks')),
  rejected('9112 3.2', 'has no space in its query', get('/v1/tracks?a b')),
  rejected('9112 3.2', 'has no tab', get('/v1/tra\tcks')),
  rejected('9112 3.2', 'has no NUL', get('/v1/tra\0cks')),
  rejected('9112 3.2', 'has no control character', get('/v1/tra\x1bcks')),
  rejected('9112 3.2', 'has no DEL', get('/v1/tra\x7fcks')),
  rejected('9112 3.2', 'has no carriage return', get('/v1/tra\rcks')),
  rejected('9112 3.2', 'has no line feed', get('/v1/tra\ncks')),
  rejected('3986 2', 'is ASCII', get('/v1/tr\xc3\xa4cks')),
  rejected('3986 2', 'is ASCII in its query', get('/v1/tracks?\xe4')),
  rejected('3986 2.1', 'has complete escapes', get('/v1/tracks%4')),
  rejected('3986 2.1', 'has hexadecimal escapes', get('/v1/tracks%gg')),
])

describe('the Allow header', () => {
  const every = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

  it.each([
    ['15.5.6', 'with 405 for DELETE of a page', 'DELETE /healthz', 405, 'GET, HEAD, OPTIONS'],
    [
      '15.5.6',
      'with 405 for POST to the OpenAPI description',
      'POST /openapi.json',
      405,
      'GET, HEAD, OPTIONS',
    ],
    ['15.5.6', 'with 405 for a method of another protocol', 'PROPFIND /metrics', 405, 'GET, HEAD, OPTIONS'],
    ['15.5.6', 'with 405 for TRACE', 'TRACE /v1/tracks', 405, every],
    ['15.5.6', 'with 405 for CONNECT', 'CONNECT api.example:443', 405, every],
    ['9.3.7', 'in response to OPTIONS for a page', 'OPTIONS /healthz', 204, 'GET, HEAD, OPTIONS'],
    ['9.3.7', 'in response to OPTIONS for the server', 'OPTIONS *', 204, every],
  ])('RFC 9110 %s: lists the methods of a resource %s', async (_section, _name, start, status, allow) => {
    const response = await sendRaw(portOf(gateway), head(start))
    expectValidResponse(response)
    expect([response.status, response.header('allow'), response.header('content-length') === '0']).toEqual([
      status,
      allow,
      false,
    ])
  })

  it('RFC 9110 15.5.6: is absent where there is no resource', async () => {
    const response = await sendRaw(portOf(gateway), head('DELETE /elsewhere'))
    expect([response.status, response.header('allow')]).toEqual([404, undefined])
  })
})
