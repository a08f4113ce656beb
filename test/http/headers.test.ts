import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, sendRaw } from '#test/support/raw-client.ts'
import { expectValidResponse, head, lines, portOf, type WireCase, wireTests } from './wire.ts'

const gateway = startTestGateway({ core: 'recording' })

const tracks = ['GET /v1/tracks']
const requestWithHeaders = (...headers: readonly string[]) => lines('GET /v1/tracks HTTP/1.1', ...headers)
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
  served('9112 3.2', 'may be a name', requestWithHeaders('Host: api.example')),
  served('9112 3.2', 'may have a port', requestWithHeaders('Host: api.example:8080')),
  served('3986 3.2.3', 'may have an empty port', requestWithHeaders('Host: api.example:')),
  served('3986 3.2.2', 'may be an IPv4 address', requestWithHeaders('Host: 127.0.0.1:80')),
  served('3986 3.2.2', 'may be an IPv6 address', requestWithHeaders('Host: [::1]:80')),
  served('9110 5.1', 'may be written in any case', requestWithHeaders('hOsT: api.example')),
  served('9112 5', 'may have no space before it', requestWithHeaders('Host:api.example')),
  served('9110 5.5', 'may have spaces and tabs around it', requestWithHeaders('Host: \t api.example \t ')),
  rejected('9112 3.2', 'a missing Host', requestWithHeaders('Accept: */*')),
  rejected('9112 3.2', 'two values', requestWithHeaders('Host: a', 'Host: b')),
  rejected('9112 3.2', 'the same value twice', requestWithHeaders('Host: a', 'host: a')),
  rejected('9112 3.2', 'the same value twice with other headers between', requestWithHeaders('Host: a', 'X: y', 'Host: a')),
  rejected('9110 4.2.1', 'an empty value', requestWithHeaders('Host:')),
  rejected('9112 3.2', 'a list', requestWithHeaders('Host: a, b')),
  rejected('9112 3.2', 'a space inside', requestWithHeaders('Host: a b')),
  rejected('9112 3.2', 'a path', requestWithHeaders('Host: a/v1')),
  rejected('9112 3.2', 'a query', requestWithHeaders('Host: a?b')),
  rejected('9112 3.2', 'a fragment', requestWithHeaders('Host: a#b')),
  rejected('9110 4.2.4', 'a user', requestWithHeaders('Host: user@a')),
  rejected('9112 3.2', 'a scheme', requestWithHeaders('Host: http://a')),
  rejected('9112 3.2', 'a backslash', requestWithHeaders('Host: a\\b')),
  rejected('9112 3.2', 'a port that is not a number', requestWithHeaders('Host: a:http')),
  rejected('9112 3.2', 'two ports', requestWithHeaders('Host: a:1:2')),
  rejected('9112 3.2', 'a sign before the port', requestWithHeaders('Host: a:+80')),
  rejected('9112 3.2', 'an unclosed bracket', requestWithHeaders('Host: [::1')),
  served('3986 3.2.2', 'may be an IPv6 address with an embedded IPv4 address', requestWithHeaders('Host: [::ffff:192.0.2.1]:80')),
  rejected('3986 3.2.2', 'an IPv6 address with two `::`', requestWithHeaders('Host: [1::2::3]')),
  rejected('3986 3.2.2', 'an IPv6 address with nine groups', requestWithHeaders('Host: [1:2:3:4:5:6:7:8:9]')),
  rejected('3986 3.2.2', 'only colons in brackets', requestWithHeaders('Host: [::::]')),
  rejected('3986 3.2.2', 'a name in brackets', requestWithHeaders('Host: [abc]')),
  rejected('3986 3.2.2', 'an IPv4 address in brackets', requestWithHeaders('Host: [192.0.2.1]')),
  rejected('6874 2', 'an IPv6 zone', requestWithHeaders('Host: [fe80::1%25eth0]')),
  rejected('9112 3.2', 'only a port', requestWithHeaders('Host: :80')),
  rejected('9112 3.2.2', 'an invalid authority in an absolute target', get('http://[1::2::3]/v1/tracks')),
  rejected('9112 3.2', 'text after the brackets', requestWithHeaders('Host: [::1]a')),
  rejected('9112 3.2', 'a byte that is not ASCII', requestWithHeaders('Host: b\xfccher.example')),
  rejected('9112 3.2', 'quotes', requestWithHeaders('Host: "a"')),
  rejected('9112 3.2', 'markup', requestWithHeaders('Host: <a>')),
  rejected('9112 5.1', 'a space before the colon', requestWithHeaders('Host : a')),
  rejected('9112 2.2', 'white space before the first header line', 'GET /v1/tracks HTTP/1.1\r\n Host: a\r\n\r\n'),
  rejected('9112 2.2', 'a folded line', requestWithHeaders('X: y\r\n Host: a')),
])

// Pages are served through a URL object, which would reject or rewrite these hosts. RFC 3986 allows them.
// biome-ignore format: a table
wireTests('the authority of a page', gateway, [
  ...['999.1.1.1', 'xn--a', '[::]:', 'api.example:', 'api.example:99999', '0x7f.1', 'a~b', 'API.Example'].map((host): WireCase =>
    ['3986 3.2.2', `may be ${host}`, lines('GET /healthz HTTP/1.1', `Host: ${host}`), [200], 'open']),
  ['9112 3.2.2', 'may be in its target', get('http://api.example/healthz'), [200], 'open'],
  ['9112 3.2.2', 'may be in its target after a scheme in capitals', get('HTTP://api.example/healthz?x'), [200], 'open'],
])

// biome-ignore format: a table
wireTests('a target', gateway, [
  ['3986 6.2.2.2', 'names no page with an escaped spelling', get('/%68ealthz'), [404], 'open'],
  ['9112 3.2.2', 'may be absolute for a native route, which requires a token', get('HTTP://999.1.1.1/v1/libraries?x=\\y'), [401], 'open'],
])

// biome-ignore format: a table
wireTests('the name of a header', gateway, [
  served('9110 5.1', 'may have any character of a token', get('/v1/tracks', "X!#$%&'*+-.^`|~09: y")),
  rejected('9112 5.1', 'a space before the colon', get('/v1/tracks', 'X-A : y')),
  rejected('9112 5.1', 'a tab before the colon', get('/v1/tracks', 'X-A\t: y')),
  rejected('9112 5.1', 'a space inside', get('/v1/tracks', 'X A: y')),
  rejected('9110 5.1', 'an empty name', get('/v1/tracks', ': y')),
  rejected('9112 5', 'a missing colon', get('/v1/tracks', 'X-A')),
  rejected('9110 5.1', 'parentheses', get('/v1/tracks', 'X(A): y')),
  rejected('9110 5.1', 'quotes', get('/v1/tracks', '"X": y')),
  rejected('9110 5.1', 'a slash', get('/v1/tracks', 'X/A: y')),
  rejected('9110 5.1', 'an at sign', get('/v1/tracks', 'X@A: y')),
  rejected('9110 5.1', 'brackets', get('/v1/tracks', 'X[A]: y')),
  rejected('9110 5.1', 'a NUL', get('/v1/tracks', 'X\0A: y')),
  rejected('9110 5.1', 'a control character', get('/v1/tracks', 'X\x01A: y')),
  rejected('9110 5.1', 'a carriage return', get('/v1/tracks', 'X\rA: y')),
  rejected('9110 5.1', 'a byte that is not ASCII', get('/v1/tracks', 'X\xe9: y')),
])

// biome-ignore format: a table
wireTests('the value of a header', gateway, [
  served('9110 5.5', 'may be empty', get('/v1/tracks', 'X-A:')),
  served('9110 5.5', 'may be blank', get('/v1/tracks', 'X-A: \t ')),
  served('9110 5.5', 'may have tabs inside', get('/v1/tracks', 'X-A: a\tb')),
  served('9110 5.5', 'may have bytes beyond ASCII', get('/v1/tracks', 'X-A: \x80\xff')),
  served('9112 5', 'may have colons', get('/v1/tracks', 'X-A: a:b: c')),
  rejected('9110 5.5', 'a NUL', get('/v1/tracks', 'X-A: a\0b')),
  rejected('9110 5.5', 'a NUL at the end', get('/v1/tracks', 'X-A: a\0')),
  rejected('9110 5.5', 'a carriage return', get('/v1/tracks', 'X-A: a\rb')),
  rejected('9110 5.5', 'an additional carriage return at the end', get('/v1/tracks', 'X-A: a\r')),
  rejected('9110 5.5', 'a control character', get('/v1/tracks', 'X-A: a\x01b')),
  rejected('9110 5.5', 'a DEL', get('/v1/tracks', 'X-A: a\x7fb')),
  rejected('9112 2.2', 'a line that ends with a line feed only', 'GET /v1/tracks HTTP/1.1\r\nHost: a\nX: y\r\n\r\n'),
  rejected('9112 2.2', 'a head that ends with a line feed only', 'GET /v1/tracks HTTP/1.1\r\nHost: a\r\n\n'),
  rejected('9112 2.2', 'a head that ends with a carriage return only', 'GET /v1/tracks HTTP/1.1\r\nHost: a\r\n\rX'),
  rejected('9112 5.2', 'folding with a space', get('/v1/tracks', 'X-A: a\r\n b')),
  rejected('9112 5.2', 'folding with a tab', get('/v1/tracks', 'X-A: a\r\n\tb')),
  rejected('9112 5.2', 'folding to an empty line', get('/v1/tracks', 'X-A: a\r\n ')),
  rejected('9112 5.2', 'folding before the value', get('/v1/tracks', 'X-A:\r\n a')),
  rejected('9110 5.4', 'a value above the size limit', get('/v1/tracks', `X-A: ${'a'.repeat(17_000)}`), 431),
  rejected('9110 5.4', 'values that together exceed the size limit', get('/v1/tracks', ...Array.from({ length: 400 }, (_, at) => `X-${at}: ${'a'.repeat(40)}`)), 431),
  rejected('9110 11.6.2', 'two Authorization headers', get('/v1/tracks', 'Authorization: Bearer a', 'authorization: Bearer b')),
  rejected('9110 8.3', 'two Content-Type headers', get('/v1/tracks', 'Content-Type: a/b', 'Content-Type: a/b')),
])

// The headers that the gateway adds, and those that belong to its own connection to the core: Host and Connection.
const gatewayHeaderNames =
  /^(?:host|connection|via|x-forwarded-(?:for|proto|host)|x-request-id|content-length)$/

describe('forwarded headers', () => {
  const receivedHeaders = async (...headers: readonly string[]) => {
    const response = await sendRaw(portOf(gateway), get('/v1/tracks', ...headers))
    expectValidResponse(response)
    expect(response.status).toBe(200)
    return gateway.core.requests.at(-1)?.headers ?? []
  }

  it.each<[rfc: string, name: string, sent: readonly string[], forwarded: readonly string[]]>([
    ['9110 5.3', 'keep their order, case and count', ['B: 2', 'a: 1', 'b: 3'], ['B: 2', 'a: 1', 'b: 3']],
    [
      '9110 7.6.1',
      'omit what Connection lists',
      ['Connection: x-a, X-B', 'X-A: 1', 'x-b: 2', 'X-C: 3'],
      ['X-C: 3'],
    ],
    [
      '9110 7.6.1',
      'omit what two Connection headers list',
      ['Connection: x-a', 'X-A: 1', 'connection: X-B', 'X-B: 2'],
      [],
    ],
    [
      '9110 7.6.1',
      'omit what a later Connection header lists',
      ['X-A: 1', 'Connection: keep-alive,,x-a ,'],
      [],
    ],
    [
      '9110 7.6.1',
      'omit hop-by-hop headers',
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
      'omit an upgrade',
      ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x'],
      ['Sec-WebSocket-Key: x'],
    ],
    [
      '9113 3.1',
      'omit an upgrade to HTTP/2',
      ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQ'],
      [],
    ],
    [
      '9110 5.1',
      'omit names with an underscore, which some servers read as a hyphen',
      ['X_Forwarded_For: 1.1.1.1', 'Content_Length: 5', 'X-A: 1'],
      ['X-A: 1'],
    ],
    [
      '7239 8.1',
      'omit forwarding headers of an untrusted client',
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
      'omit headers that rewrite the path',
      ['X-Original-URL: /v1/webhooks', 'X-Rewrite-URL: /v1/webhooks'],
      [],
    ],
    [
      '9110 5.1',
      'omit headers that only the gateway sets',
      ['X-Service-Core-Runtime: native', 'x-service-anything: 1'],
      [],
    ],
    [
      '9110 12.5.3',
      'include end-to-end headers',
      ['Accept-Encoding: br;q=1, gzip', 'Range: bytes=0-1', 'If-None-Match: "x"', 'Cookie: a=b; c'],
      ['Accept-Encoding: br;q=1, gzip', 'Range: bytes=0-1', 'If-None-Match: "x"', 'Cookie: a=b; c'],
    ],
  ])('RFC %s: %s', async (_rfc, _name, sent, forwarded) => {
    const received = await receivedHeaders(...sent)
    const rest = received.filter(([name]) => !gatewayHeaderNames.test(name.toLowerCase()))
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
  ])('RFC 9110 7.6.1: include what the gateway adds even if Connection lists %s', async (listed) => {
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

  it("RFC 9112 3.2.2: contain an absolute target's authority in X-Forwarded-Host", async () => {
    await sendRaw(portOf(gateway), get('http://other.example:81/v1/tracks'))
    expect(gateway.core.requests.at(-1)?.headers).toContainEqual(['x-forwarded-host', 'other.example:81'])
    expect(gateway.core.requests.at(-1)?.headers).toContainEqual(['host', `127.0.0.1:${gateway.core.port}`])
  })

  it("RFC 9110 7.6.3: contain the client's HTTP version in Via", async () => {
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

  it('RFC 9110 7.6.2: with the value 0, makes the gateway answer OPTIONS with 204 itself', async () => {
    const { response, count } = await options('/v1/tracks', '0')
    expectValidResponse(response)
    expect([response.status, count]).toEqual([204, 0])
  })

  it.each([
    ['1', '0'],
    ['10', '9'],
    ['99999999999', '254'],
    ['many', 'many'],
  ])(
    'RFC 9110 7.6.2: with the value %s, is forwarded as %s with OPTIONS (limited to 255, then decremented)',
    async (sent, received) => {
      expect(await options('/v1/tracks', sent)).toMatchObject({ received, count: 1 })
    },
  )

  it('RFC 9110 7.6.2: is forwarded unchanged with other methods', async () => {
    await sendRaw(portOf(gateway), get('/v1/tracks', 'Max-Forwards: 0'))
    expect(gateway.core.requests.at(-1)?.headers).toContainEqual(['Max-Forwards', '0'])
  })
})
