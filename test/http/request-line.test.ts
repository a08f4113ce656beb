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
  ['9112 3', 'is served in its standard form', get('/v1/tracks'), [200], 'open', tracks],
  ['9112 2.2', 'may follow an empty line', `\r\n${get('/v1/tracks')}`, [200], 'open', tracks],
  ['9112 2.2', 'may follow several empty lines', `\r\n\r\n\r\n${get('/v1/tracks')}`, [200], 'open', tracks],
  ['9112 3', 'may have extra spaces, which the core does not receive', start('GET   /v1/tracks   HTTP/1.1'), [200], 'open', tracks],
  ['9112 3', 'a space at the end', start('GET /v1/tracks HTTP/1.1 '), [400], 'closed'],
  ['9112 3', 'a tab at the end', start('GET /v1/tracks HTTP/1.1\t'), [400], 'closed'],
  ['9112 3', 'a tab after the method', start('GET\t/v1/tracks HTTP/1.1'), [400], 'closed'],
  ['9112 3', 'a tab before the version', start('GET /v1/tracks\tHTTP/1.1'), [400], 'closed'],
  ['9112 3', 'form feeds between its parts', start('GET\x0c/v1/tracks\x0cHTTP/1.1'), [400], 'closed'],
  ['9112 3', 'a space at the start', start(' GET /v1/tracks HTTP/1.1'), [400], 'closed'],
  ['9112 3', 'a NUL at the start', start('\0GET /v1/tracks HTTP/1.1'), [400], 'closed'],
  ['9112 3', 'text after the version', start('GET /v1/tracks HTTP/1.1 HTTP/1.1'), [400], 'closed'],
  ['9112 3', 'an empty target', start('GET  HTTP/1.1'), [400], 'closed'],
  ['9112 3', 'a missing version', start('GET /v1/tracks'), [400], 'closed'],
  ['9112 3', 'is not read as HTTP/0.9', 'GET /v1/tracks\r\n', [], 'waits'],
  ['9112 3', 'HTTP/0.9 with an empty line after it', 'GET /v1/tracks\r\n\r\n', [400], 'closed'],
  ['9112 2.2', 'a bare line feed at the end', 'GET /v1/tracks HTTP/1.1\nHost: a\r\n\r\n', [400], 'closed'],
  ['9112 2.2', 'a bare carriage return at the end', 'GET /v1/tracks HTTP/1.1\rHost: a\r\n\r\n', [400], 'closed'],
  ['9112 2.2', 'two carriage returns at the end', 'GET /v1/tracks HTTP/1.1\r\r\nHost: a\r\n\r\n', [400], 'closed'],
  ['9112 3', 'may be 8000 bytes long', get(`/v1/${'a'.repeat(8000)}`), [200], 'open', [`GET /v1/${'a'.repeat(8000)}`]],
  rejected('9110 15.5.15', 'a target above the size limit', get(`/v1/${'a'.repeat(17_000)}`), 414),
  rejected('9110 15.5.15', 'a query above the size limit', get(`/v1/tracks?${'a'.repeat(17_000)}`), 414),
  rejected('9110 15.5.15', 'an absolute target above the size limit', get(`http://api.example/${'a'.repeat(17_000)}`), 414),
  rejected('9112 3', 'a target above the size limit and longer than one read', get(`/v1/${'a'.repeat(150_000)}`), 414),
  rejected('9112 3', 'a target above the size limit after an empty line', `\r\n${get(`/v1/${'a'.repeat(17_000)}`)}`, 414),
  rejected('9110 5.4', 'a large header that looks like a request line', get('/v1/tracks', `X: GET /${'a'.repeat(17_000)} HTTP/1.1`), 431),
])

// biome-ignore format: a table
wireTests('a version', gateway, [
  ['9112 2.3', 'may be 1.0, which closes', lines('GET /v1/tracks HTTP/1.0', 'Host: a'), [200], 'closed', tracks],
  ['9112 2.3', 'may be 1.0 without a host', lines('GET /v1/tracks HTTP/1.0'), [200], 'closed', tracks],
  rejected('9110 2.5', '2.0', start('GET /v1/tracks HTTP/2.0'), 505),
  rejected('9110 2.5', '1.2, which the parser does not know', start('GET /v1/tracks HTTP/1.2'), 505),
  rejected('9113 3.4', 'the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  rejected('9110 2.5', '0.9', start('GET /v1/tracks HTTP/0.9')),
  rejected('9110 2.5', '3.0', start('GET /v1/tracks HTTP/3.0'), 505),
  rejected('9110 2.5', '9.9', start('GET /v1/tracks HTTP/9.9'), 505),
  rejected('9112 2.3', 'a minor part of two digits', start('GET /v1/tracks HTTP/1.10')),
  rejected('9112 2.3', 'a leading zero', start('GET /v1/tracks HTTP/01.1')),
  rejected('9112 2.3', 'a missing minor part', start('GET /v1/tracks HTTP/1')),
  rejected('9112 2.3', 'a missing minor digit', start('GET /v1/tracks HTTP/1.')),
  rejected('9112 2.3', 'a comma instead of the dot', start('GET /v1/tracks HTTP/1,1')),
  rejected('9112 2.3', 'a letter instead of a digit', start('GET /v1/tracks HTTP/1.x')),
  rejected('9112 2.3', 'a sign', start('GET /v1/tracks HTTP/+1.1')),
  rejected('9112 2.3', 'lower case', start('GET /v1/tracks http/1.1')),
  rejected('9112 2.3', 'a missing slash', start('GET /v1/tracks HTTP1.1')),
  rejected('9112 2.3', 'a space inside', start('GET /v1/tracks HTTP/ 1.1')),
  rejected('9112 2.3', 'HTTPS', start('GET /v1/tracks HTTPS/1.1')),
  rejected('9112 2.3', 'ICE, the protocol of Icecast', start('GET /v1/tracks ICE/1.0')),
  // Node's parser reads RTSP/1.0 as HTTP/1.0 and does not report the protocol, so the core receives a valid HTTP/1.1
  // request.
  ['9112 2.3', 'of RTSP is read as 1.0', start('GET /v1/tracks RTSP/1.0'), [200], 'closed', tracks],
])

// biome-ignore format: a table
wireTests('a method', gateway, [
  ['9110 9.3.2', 'may be HEAD, whose response has no body', head('HEAD /v1/tracks'), ['HEAD 200'], 'open', ['HEAD /v1/tracks']],
  ['9110 9.3.5', 'may be DELETE', head('DELETE /v1/tracks/t'), [200], 'open', ['DELETE /v1/tracks/t']],
  ['5789 2', 'may be PATCH', head('PATCH /v1/packs/p'), [200], 'open', ['PATCH /v1/packs/p']],
  ['9110 9.3.7', 'may be OPTIONS', head('OPTIONS /v1/tracks'), [200], 'open', ['OPTIONS /v1/tracks']],
  ['9110 9.1', 'may be one that is registered elsewhere', head('PROPFIND /v1/tracks'), [200], 'open', ['PROPFIND /v1/tracks']],
  ['9110 9.3.8', 'TRACE, which would reveal credentials', head('TRACE /v1/tracks'), [405], 'closed'],
  ['9110 9.3.6', 'CONNECT', lines('CONNECT core.example:443 HTTP/1.1', 'Host: core.example:443'), [405], 'closed'],
  ['9110 9.3.6', 'CONNECT with a path', head('CONNECT /v1/tracks'), [405], 'closed'],
  rejected('9110 9.1', 'a method in lower case', start('get /v1/tracks HTTP/1.1'), 501),
  rejected('9110 9.1', 'a method in mixed case', start('GeT /v1/tracks HTTP/1.1'), 501),
  rejected('9110 9.1', 'an unknown method', start('FETCH /v1/tracks HTTP/1.1'), 501),
  rejected('9110 9.1', 'a known method with a suffix', start('GETS /v1/tracks HTTP/1.1'), 501),
  rejected('9110 9.1', 'a truncated known method', start('GE /v1/tracks HTTP/1.1'), 501),
  rejected('9110 9.1', 'a method of RTSP', start('DESCRIBE /v1/tracks HTTP/1.1'), 501),
  rejected('9110 9.1', 'an unknown method with all characters of a token', start("!#$%&'*+-.^_`|~ /v1/tracks HTTP/1.1"), 501),
  rejected('9110 9.1', 'an unknown method after an empty line', `\r\n${start('FETCH /v1/tracks HTTP/1.1')}`, 501),
  rejected('9110 9.1', 'an unknown method of another protocol', start('FETCH /v1/tracks SIP/2.0')),
  rejected('9110 9.1', 'the preface of HTTP/2', start('PRI /v1/tracks HTTP/1.1')),
  rejected('9112 3', 'a missing method', start(' /v1/tracks HTTP/1.1')),
  rejected('9112 3', 'the start line of a response', lines('HTTP/1.1 200 OK', 'Host: a')),
  ['9110 9.3.6', 'CONNECT with a body', `${head('CONNECT api.example:443', 'Content-Length: 3')}abc`, [405], 'closed'],
  ['9112 9.3.2', 'is rejected in order: CONNECT', get('/v1/tracks') + head('CONNECT api.example:443'), [200, 405], 'closed', tracks],
  ['9112 9.3.2', 'is rejected in order: CONNECT after several', get('/v1/tracks') + get('/healthz') + head('CONNECT api.example:443') + get('/v1/packs'), [200, 200, 405], 'closed', tracks],
  rejected('9110 9.1', 'parentheses', start('GET() /v1/tracks HTTP/1.1')),
  rejected('9110 9.1', 'a NUL', start('GE\0T /v1/tracks HTTP/1.1')),
  rejected('9110 9.1', 'a byte that is not ASCII', start('G\xc9T /v1/tracks HTTP/1.1')),
  rejected('9110 9.1', 'quotes', start('"GET" /v1/tracks HTTP/1.1')),
  rejected('9110 9.1', 'a very long method', start(`${'A'.repeat(5000)} /v1/tracks HTTP/1.1`), 501),
  rejected('9112 3', 'a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
])

// biome-ignore format: a table
wireTests('a target', gateway, [
  ['9112 3.2.2', 'may be absolute', get('http://api.example/v1/tracks'), [200], 'open', tracks],
  ['9112 3.2.2', 'may be absolute with a host that differs from Host', get('http://other.example/v1/tracks'), [200], 'open', tracks],
  ['9112 3.2.2', 'may be absolute with a scheme in capitals', get('HTTP://api.example/v1/tracks'), [200], 'open', tracks],
  ['9112 3.2.2', 'may be absolute with a port and a query', get('https://api.example:8443/v1/tracks?x=1'), [200], 'open', ['GET /v1/tracks?x=1']],
  ['9112 3.2.2', 'may be absolute in HTTP/1.0 without Host', lines('GET http://api.example/v1/tracks HTTP/1.0'), [200], 'closed', tracks],
  ['9112 3.2.4', 'is the whole server for OPTIONS *', head('OPTIONS *'), [204], 'open'],
  ['9112 3.2.4', 'is the whole server for OPTIONS without a path', head('OPTIONS http://api.example'), [204], 'open'],
  rejected('9112 3.2', 'an absolute target without Host in HTTP/1.1', lines('GET http://api.example/v1/tracks HTTP/1.1')),
  rejected('9112 3.2', 'an absolute target with an invalid Host', lines('GET http://api.example/v1/tracks HTTP/1.1', 'Host: a b')),
  rejected('9110 4.2.4', 'a user', get('http://user@api.example/v1/tracks')),
  rejected('9110 4.2.4', 'a user and a password', get('http://user:secret@api.example/v1/tracks')),
  rejected('9110 4.2.1', 'an absolute target without a host', get('http:///v1/tracks')),
  rejected('9110 4.2.1', 'only a scheme', get('http://')),
  rejected('9112 3.2.2', 'one slash after the scheme', get('http:/v1/tracks')),
  rejected('9112 3.2.2', 'the scheme ftp', get('ftp://api.example/v1/tracks')),
  rejected('9112 3.2.2', 'the scheme file', get('file:///etc/passwd')),
  rejected('9112 3.2.2', 'a port that is not a number', get('http://api.example:8a/v1/tracks')),
  rejected('9112 3.2.2', 'two authorities', get('http://api.example,other.example/v1/tracks')),
  rejected('9112 3.2.3', 'only an authority, without CONNECT', get('api.example:443')),
  rejected('9112 3.2.4', 'an asterisk without OPTIONS', get('*')),
  rejected('9112 3.2.4', 'text after an asterisk', head('OPTIONS */v1')),
  rejected('9112 3.2.1', 'a missing slash at the start', get('v1/tracks')),
  rejected('9112 3.2.1', 'only a query', get('?x=1')),
  rejected('9112 3.2.1', 'an authority after two slashes', get('//other.example/v1/tracks')),
  rejected('9112 3.2', 'a fragment', get('/v1/tracks#top')),
  rejected('9112 3.2', 'a fragment after a query', get('/v1/tracks?x#top')),
  rejected('9112 3.2', 'a space', get('/v1/tra cks')),
  rejected('9112 3.2', 'a space in the query', get('/v1/tracks?a b')),
  rejected('9112 3.2', 'a tab', get('/v1/tra\tcks')),
  rejected('9112 3.2', 'a NUL', get('/v1/tra\0cks')),
  rejected('9112 3.2', 'a control character', get('/v1/tra\x1bcks')),
  rejected('9112 3.2', 'a DEL', get('/v1/tra\x7fcks')),
  rejected('9112 3.2', 'a carriage return', get('/v1/tra\rcks')),
  rejected('9112 3.2', 'a line feed', get('/v1/tra\ncks')),
  rejected('3986 2', 'a byte that is not ASCII', get('/v1/tr\xc3\xa4cks')),
  rejected('3986 2', 'a byte that is not ASCII in the query', get('/v1/tracks?\xe4')),
  rejected('3986 2.1', 'an incomplete escape', get('/v1/tracks%4')),
  rejected('3986 2.1', 'an escape that is not hexadecimal', get('/v1/tracks%gg')),
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
    ['15.5.6', 'with 405 for a method of another protocol', 'PROPFIND /docs', 405, 'GET, HEAD, OPTIONS'],
    ['15.5.6', 'with 405 for TRACE', 'TRACE /v1/tracks', 405, every],
    ['15.5.6', 'with 405 for CONNECT', 'CONNECT api.example:443', 405, every],
    ['9.3.7', 'in response to OPTIONS for a page', 'OPTIONS /healthz', 204, 'GET, HEAD, OPTIONS'],
    ['9.3.7', 'in response to OPTIONS for the server', 'OPTIONS *', 204, every],
  ])("RFC 9110 %s: lists a resource's methods %s", async (_section, _name, start, status, allow) => {
    const response = await sendRaw(portOf(gateway), head(start))
    expectValidResponse(response)
    expect([response.status, response.header('allow'), response.header('content-length') === '0']).toEqual([
      status,
      allow,
      false,
    ])
  })

  it('RFC 9110 15.5.6: is absent if there is no resource', async () => {
    const response = await sendRaw(portOf(gateway), head('DELETE /elsewhere'))
    expect([response.status, response.header('allow')]).toEqual([404, undefined])
  })
})
