import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, sendRaw } from '#test/support/raw-client.ts'
import { expectValidResponse, head, lines, portOf, type WireCase, wireTests } from './wire.ts'

const gateway = startTestGateway({ core: 'recording' })

const tracks = ['GET /v1/tracks']
const hosted = (...hosts: readonly string[]) => lines('GET /v1/tracks HTTP/1.1', ...hosts)
const served = (rfc: string, name: string, bytes: string): WireCase => [
  rfc,
  name,
  bytes,
  [200],
  'open',
  tracks,
]
const rejected = (rfc: string, name: string, bytes: string, status = 400): WireCase => [
  rfc,
  name,
  bytes,
  [status],
  'closed',
]

// biome-ignore format: a table
wireTests('Host', gateway, [
  served('9112 3.2', 'may be a name', hosted('Host: api.example')),
  served('9112 3.2', 'may have a port', hosted('Host: api.example:8080')),
  served('3986 3.2.3', 'may have an empty port', hosted('Host: api.example:')),
  served('3986 3.2.2', 'may be an address', hosted('Host: 127.0.0.1:80')),
  served('3986 3.2.2', 'may be an address of IPv6', hosted('Host: [::1]:80')),
  served('9110 5.1', 'may be written in any case', hosted('hOsT: api.example')),
  served('9112 5', 'may have no space before it', hosted('Host:api.example')),
  served('9110 5.5', 'may have spaces and tabs around it', hosted('Host: \t api.example \t ')),
  rejected('9112 3.2', 'is not missing', hosted('Accept: */*')),
  rejected('9112 3.2', 'is not sent twice', hosted('Host: a', 'Host: b')),
  rejected('9112 3.2', 'is not sent twice, even if it is the same', hosted('Host: a', 'host: a')),
  rejected('9112 3.2', 'is not sent twice with other headers between', hosted('Host: a', 'X: y', 'Host: a')),
  rejected('9110 4.2.1', 'is not empty', hosted('Host:')),
  rejected('9112 3.2', 'is no list', hosted('Host: a, b')),
  rejected('9112 3.2', 'has no space inside', hosted('Host: a b')),
  rejected('9112 3.2', 'has no path', hosted('Host: a/v1')),
  rejected('9112 3.2', 'has no query', hosted('Host: a?b')),
  rejected('9112 3.2', 'has no fragment', hosted('Host: a#b')),
  rejected('9110 4.2.4', 'has no user', hosted('Host: user@a')),
  rejected('9112 3.2', 'has no scheme', hosted('Host: http://a')),
  rejected('9112 3.2', 'has no backslash', hosted('Host: a\\b')),
  rejected('9112 3.2', 'has a numeric port', hosted('Host: a:http')),
  rejected('9112 3.2', 'has one port', hosted('Host: a:1:2')),
  rejected('9112 3.2', 'has no sign before its port', hosted('Host: a:+80')),
  rejected('9112 3.2', 'has whole brackets', hosted('Host: [::1')),
  served('3986 3.2.2', 'may be an address of IPv6 with one of IPv4 in it', hosted('Host: [::ffff:192.0.2.1]:80')),
  rejected('3986 3.2.2', 'is no address of IPv6 with two gaps', hosted('Host: [1::2::3]')),
  rejected('3986 3.2.2', 'is no address of IPv6 with too many parts', hosted('Host: [1:2:3:4:5:6:7:8:9]')),
  rejected('3986 3.2.2', 'is nothing but colons in brackets', hosted('Host: [::::]')),
  rejected('3986 3.2.2', 'is no name in brackets', hosted('Host: [abc]')),
  rejected('3986 3.2.2', 'is no address of IPv4 in brackets', hosted('Host: [192.0.2.1]')),
  rejected('6874 2', 'has no zone', hosted('Host: [fe80::1%25eth0]')),
  rejected('9112 3.2', 'is no port alone', hosted('Host: :80')),
  rejected('9112 3.2.2', 'is not invalid in a target', get('http://[1::2::3]/v1/tracks')),
  rejected('9112 3.2', 'has no second value after its brackets', hosted('Host: [::1]a')),
  rejected('9112 3.2', 'is ASCII', hosted('Host: b\xfccher.example')),
  rejected('9112 3.2', 'has no quotes', hosted('Host: "a"')),
  rejected('9112 3.2', 'has no markup', hosted('Host: <a>')),
  rejected('9112 5.1', 'has no space before its colon', hosted('Host : a')),
  rejected('9112 2.2', 'is not the first line after a space', 'GET /v1/tracks HTTP/1.1\r\n Host: a\r\n\r\n'),
  rejected('9112 2.2', 'is not folded away', hosted('X: y\r\n Host: a')),
])

// Pages are served through a URL object, which these are invalid for; RFC 3986 allows them.
// biome-ignore format: a table
wireTests('Host of a page', gateway, [
  ...['999.1.1.1', 'xn--a', '[::]:', 'api.example:', 'api.example:99999', '0x7f.1', 'a~b', 'API.Example'].map((host): WireCase =>
    ['3986 3.2.2', `may be ${host}`, lines('GET /healthz HTTP/1.1', `Host: ${host}`), [200], 'open']),
  ['9112 3.2.2', 'may be in its target', get('http://api.example/healthz'), [200], 'open'],
  ['9112 3.2.2', 'may be in its target after a scheme in capitals', get('HTTP://api.example/healthz?x'), [200], 'open'],
  ['3986 6.2.2.2', 'leaves the spelling of its path alone', get('/%68ealthz'), [200], 'open'],
  ['9112 3.2.2', 'may be in the target of a native route', get('HTTP://999.1.1.1/v1/libraries?x=\\y'), [401], 'open'],
])

// biome-ignore format: a table
wireTests('the name of a header', gateway, [
  served('9110 5.1', 'may have any character of a token', get('/v1/tracks', "X!#$%&'*+-.^`|~09: y")),
  rejected('9112 5.1', 'has no space before the colon', get('/v1/tracks', 'X-A : y')),
  rejected('9112 5.1', 'has no tab before the colon', get('/v1/tracks', 'X-A\t: y')),
  rejected('9112 5.1', 'has no space inside', get('/v1/tracks', 'X A: y')),
  rejected('9110 5.1', 'is not empty', get('/v1/tracks', ': y')),
  rejected('9112 5', 'has a colon after it', get('/v1/tracks', 'X-A')),
  rejected('9110 5.1', 'has no parentheses', get('/v1/tracks', 'X(A): y')),
  rejected('9110 5.1', 'has no quotes', get('/v1/tracks', '"X": y')),
  rejected('9110 5.1', 'has no slash', get('/v1/tracks', 'X/A: y')),
  rejected('9110 5.1', 'has no at sign', get('/v1/tracks', 'X@A: y')),
  rejected('9110 5.1', 'has no brackets', get('/v1/tracks', 'X[A]: y')),
  rejected('9110 5.1', 'has no NUL', get('/v1/tracks', 'X\0A: y')),
  rejected('9110 5.1', 'has no control character', get('/v1/tracks', 'X\x01A: y')),
  rejected('9110 5.1', 'has no carriage return', get('/v1/tracks', 'X\rA: y')),
  rejected('9110 5.1', 'is ASCII', get('/v1/tracks', 'X\xe9: y')),
])

// biome-ignore format: a table
wireTests('the value of a header', gateway, [
  served('9110 5.5', 'may be empty', get('/v1/tracks', 'X-A:')),
  served('9110 5.5', 'may be blank', get('/v1/tracks', 'X-A: \t ')),
  served('9110 5.5', 'may have tabs inside', get('/v1/tracks', 'X-A: a\tb')),
  served('9110 5.5', 'may have bytes beyond ASCII', get('/v1/tracks', 'X-A: \x80\xff')),
  served('9112 5', 'may have colons', get('/v1/tracks', 'X-A: a:b: c')),
  rejected('9110 5.5', 'has no NUL', get('/v1/tracks', 'X-A: a\0b')),
  rejected('9110 5.5', 'has no NUL at its end', get('/v1/tracks', 'X-A: a\0')),
  rejected('9110 5.5', 'has no carriage return', get('/v1/tracks', 'X-A: a\rb')),
  rejected('9110 5.5', 'has no two carriage returns at its end', get('/v1/tracks', 'X-A: a\r')),
  rejected('9110 5.5', 'has no control character', get('/v1/tracks', 'X-A: a\x01b')),
  rejected('9110 5.5', 'has no DEL', get('/v1/tracks', 'X-A: a\x7fb')),
  rejected('9112 2.2', 'does not end with a line feed alone', 'GET /v1/tracks HTTP/1.1\r\nHost: a\nX: y\r\n\r\n'),
  rejected('9112 2.2', 'does not end the head with a line feed alone', 'GET /v1/tracks HTTP/1.1\r\nHost: a\r\n\n'),
  rejected('9112 2.2', 'does not end the head with a carriage return alone', 'GET /v1/tracks HTTP/1.1\r\nHost: a\r\n\rX'),
  rejected('9112 5.2', 'is not folded with a space', get('/v1/tracks', 'X-A: a\r\n b')),
  rejected('9112 5.2', 'is not folded with a tab', get('/v1/tracks', 'X-A: a\r\n\tb')),
  rejected('9112 5.2', 'is not folded to nothing', get('/v1/tracks', 'X-A: a\r\n ')),
  rejected('9112 5.2', 'is not folded before it begins', get('/v1/tracks', 'X-A:\r\n a')),
  rejected('9110 5.4', 'is not larger than the limit', get('/v1/tracks', `X-A: ${'a'.repeat(17_000)}`), 431),
  rejected('9110 5.4', 'does not take the head beyond its limit with others', get('/v1/tracks', ...Array.from({ length: 400 }, (_, at) => `X-${at}: ${'a'.repeat(40)}`)), 431),
  rejected('9110 11.6.2', 'is sent once for Authorization', get('/v1/tracks', 'Authorization: Bearer a', 'authorization: Bearer b')),
  rejected('9110 8.3', 'is sent once for Content-Type', get('/v1/tracks', 'Content-Type: a/b', 'Content-Type: a/b')),
])

// The headers that the gateway adds, with host and connection of its own hop.
const ownNames = /^(?:host|connection|via|x-forwarded-(?:for|proto|host)|x-request-id|content-length)$/

describe('the headers that the core receives', () => {
  const receivedHeaders = async (...headers: readonly string[]) => {
    const response = await sendRaw(portOf(gateway), get('/v1/tracks', ...headers))
    expectValidResponse(response)
    expect(response.status).toBe(200)
    return gateway.core.requests.at(-1)?.headers ?? []
  }

  it.each<[rfc: string, name: string, sent: readonly string[], forwarded: readonly string[]]>([
    ['9110 5.3', 'keeps order, case and number', ['B: 2', 'a: 1', 'b: 3'], ['B: 2', 'a: 1', 'b: 3']],
    [
      '9110 7.6.1',
      'drops what Connection lists',
      ['Connection: x-a, X-B', 'X-A: 1', 'x-b: 2', 'X-C: 3'],
      ['X-C: 3'],
    ],
    [
      '9110 7.6.1',
      'drops what two Connections list',
      ['Connection: x-a', 'X-A: 1', 'connection: X-B', 'X-B: 2'],
      [],
    ],
    [
      '9110 7.6.1',
      'drops what Connection lists after the header itself',
      ['X-A: 1', 'Connection: keep-alive,,x-a ,'],
      [],
    ],
    [
      '9110 7.6.1',
      'drops hop-by-hop headers',
      [
        'Proxy-Connection: keep-alive',
        'Keep-Alive: timeout=5',
        'TE: trailers',
        'Trailer: X',
        'Proxy-Authorization: Basic x',
      ],
      [],
    ],
    [
      '9110 7.8',
      'drops an upgrade',
      ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x'],
      ['Sec-WebSocket-Key: x'],
    ],
    [
      '9113 3.1',
      'drops an upgrade to HTTP/2',
      ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQ'],
      [],
    ],
    [
      '9110 5.1',
      'drops names that some servers read as other names',
      ['X_Forwarded_For: 1.1.1.1', 'Content_Length: 5', 'X-A: 1'],
      ['X-A: 1'],
    ],
    [
      '7239 8.1',
      'drops forwarding headers of an untrusted client',
      [
        'X-Forwarded-For: 1.1.1.1',
        'X-Forwarded-Prefix: /v1/webhooks',
        'Forwarded: for=1.1.1.1',
        'X-Real-IP: 1.1.1.1',
      ],
      [],
    ],
    [
      '9110 5.1',
      'drops headers that rewrite the path',
      ['X-Original-URL: /v1/webhooks', 'X-Rewrite-URL: /v1/webhooks'],
      [],
    ],
    [
      '9110 5.1',
      'drops headers that only the gateway sets',
      ['X-Service-Core-Runtime: native', 'x-service-anything: 1'],
      [],
    ],
    [
      '9110 12.5.3',
      'keeps end-to-end headers',
      ['Accept-Encoding: br;q=1, gzip', 'Range: bytes=0-1', 'If-None-Match: "x"', 'Cookie: a=b; c'],
      ['Accept-Encoding: br;q=1, gzip', 'Range: bytes=0-1', 'If-None-Match: "x"', 'Cookie: a=b; c'],
    ],
  ])('RFC %s: %s', async (_rfc, _name, sent, forwarded) => {
    const received = await receivedHeaders(...sent)
    const rest = received.filter(([name]) => !ownNames.test(name.toLowerCase()))
    expect(rest.map(([name, value]) => `${name}: ${value}`)).toEqual(forwarded)
  })

  it.each([
    'host',
    'via',
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-forwarded-host',
    'x-request-id',
    'close, host, via',
  ])('RFC 9110 7.6.1: contain what the gateway adds even if Connection lists it: %s', async (listed) => {
    const received = await receivedHeaders(`Connection: ${listed}`)
    const names = received.map(([name]) => name)
    for (const name of [
      'host',
      'via',
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-forwarded-host',
      'x-request-id',
    ]) {
      expect(names.filter((found) => found === name)).toEqual([name])
    }
  })

  it('RFC 9112 3.2.2: name the authority of an absolute target rather than Host', async () => {
    await sendRaw(portOf(gateway), get('http://other.example:81/v1/tracks'))
    expect(gateway.core.requests.at(-1)?.headers).toContainEqual(['x-forwarded-host', 'other.example:81'])
    expect(gateway.core.requests.at(-1)?.headers).toContainEqual(['host', `127.0.0.1:${gateway.core.port}`])
  })

  it('RFC 9110 7.6.3: contain the HTTP version of the client in Via', async () => {
    await sendRaw(portOf(gateway), lines('GET /v1/tracks HTTP/1.0', 'Via: 1.1 front'))
    const via = gateway.core.requests.at(-1)?.headers.filter(([name]) => name.toLowerCase() === 'via')
    expect(via?.map(([, value]) => value)).toEqual(['1.1 front', expect.stringMatching(/^1\.0 crossfade-/)])
  })
})

describe('Max-Forwards', () => {
  const options = async (target: string, hops: string) => {
    const before = gateway.core.requests.length
    const response = await sendRaw(portOf(gateway), head(`OPTIONS ${target}`, `Max-Forwards: ${hops}`))
    const [received] = gateway.core.requests.slice(before)
    return {
      response,
      received: received?.headers.find(([name]) => name.toLowerCase() === 'max-forwards')?.[1],
      count: gateway.core.requests.length - before,
    }
  }

  it('RFC 9110 7.6.2: of 0 ends OPTIONS at the gateway', async () => {
    const { response, count } = await options('/v1/tracks', '0')
    expectValidResponse(response)
    expect([response.status, count]).toEqual([204, 0])
  })

  it.each([
    ['1', '0'],
    ['10', '9'],
    ['99999999999', '254'],
    ['many', 'many'],
  ])('RFC 9110 7.6.2: of %s is forwarded with OPTIONS as %s', async (sent, received) => {
    expect(await options('/v1/tracks', sent)).toMatchObject({ received, count: 1 })
  })

  it('RFC 9110 7.6.2: is forwarded unchanged with other methods', async () => {
    await sendRaw(portOf(gateway), get('/v1/tracks', 'Max-Forwards: 0'))
    expect(gateway.core.requests.at(-1)?.headers).toContainEqual(['Max-Forwards', '0'])
  })
})
