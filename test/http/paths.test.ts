import { describe, expect, it } from 'vitest'
import { nativeOnlyPrefixes } from '#contracts/route-table.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, openRawClient } from '#test/support/raw-client.ts'
import { isNativeOnlyTarget, recordCore } from './record-core.ts'
import { collectCoreRequests, expectValidResponse, head, portOf, type WireCase, wireTests } from './wire.ts'

const gateway = startTestGateway({ core: 'recording' })

const served = (rfc: string, name: string, target: string, received = target): WireCase => [
  rfc,
  name,
  get(target),
  [200],
  'open',
  [`GET ${received}`],
]
const rejected = (rfc: string, name: string, target: string): WireCase => [
  rfc,
  name,
  get(target),
  [400],
  'closed',
]

// biome-ignore format: a table
wireTests('a path', gateway, [
  served('3986 3.3', 'may have any character of a segment', "/v1/a-._~!$&'()*+,;=:@"),
  served('3986 3.3', 'may end with a slash', '/v1/tracks/'),
  served('3986 6.2.2.1', 'is case-sensitive', '/v1/Tracks'),
  served('3986 6.2.2.1', 'has its escapes in capitals', '/v1/%c3%a4', '/v1/%C3%A4'),
  served('3986 6.2.2.2', 'has no escapes of unreserved characters', '/v1/%74racks%7E', '/v1/tracks~'),
  served('3986 3.3', 'may have segments of three dots', '/v1/.../x'),
  served('3986 3.4', 'may have an empty query', '/v1/tracks?'),
  served('3986 3.4', 'keeps its query unchanged', "/v1/tracks?a=%2e%2F&b=/../x?//;'&c=%zz", "/v1/tracks?a=%2e%2F&b=/../x?//;'&c=%zz"),
  rejected('3986 6.2.2.3', 'a dot segment', '/v1/./tracks'),
  rejected('3986 6.2.2.3', 'a double-dot segment', '/v1/x/../tracks'),
  rejected('3986 6.2.2.3', 'double-dot segments above the root', '/../../etc/passwd'),
  rejected('3986 6.2.2.3', 'a double-dot segment at the end', '/v1/tracks/..'),
  rejected('3986 6.2.2.3', 'encoded dots', '/v1/%2e%2e/tracks'),
  rejected('3986 6.2.2.3', 'half-encoded dots', '/v1/.%2e/tracks'),
  rejected('3986 2.2', 'an encoded slash', '/v1%2ftracks'),
  rejected('3986 2.2', 'an encoded backslash', '/v1%5ctracks'),
  rejected('3986 2.2', 'a backslash', '/v1\\tracks'),
  rejected('3986 2.4', 'a double escape', '/v1/%2574racks'),
  rejected('3986 2.4', 'a NUL', '/v1/tracks%00'),
  rejected('3986 2.4', 'a line break', '/v1/tracks%0a'),
  rejected('3986 3.3', 'an empty segment', '/v1//tracks'),
  rejected('3986 3.3', 'an empty segment at the start', '//v1/tracks'),
  rejected('3986 2.5', 'an overlong slash', '/v1%c0%aftracks'),
  rejected('3986 2.5', 'invalid UTF-8', '/v1/%ff'),
  rejected('3986 2.5', 'a full-width slash', '/v1%ef%bc%8ftracks'),
])

const upper = (text: string) => text.toUpperCase()
const everyOther = (text: string) =>
  text.replace(/[a-z](?=.)/g, (letter, at: number) => (at % 2 ? upper(letter) : letter))
const escaped = (text: string, pattern: RegExp, times = 1): string =>
  times === 0
    ? text
    : escaped(text, /%/g, times - 1).replace(
        times === 1 ? pattern : /%/g,
        (letter) => `%${letter.charCodeAt(0).toString(16)}`,
      )

// Spellings that some servers read as the original path.
const spellings: readonly ((path: string) => string)[] = [
  (path) => path,
  upper,
  everyOther,
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `${path}/.`,
  (path) => `/${path}`,
  (path) => path.replace('/v1', '/v1/'),
  (path) => path.replace('/v1', '/v1/.'),
  (path) => path.replace('/v1', '/v1/x/..'),
  (path) => path.replace('/v1', '/v2/../v1'),
  (path) => path.replace('/v1', '/v1/..;/v1'),
  (path) => path.replace('/v1', '/v1;x=y'),
  (path) => path.replace('/v1', '/v1/;'),
  (path) => `${path};x`,
  (path) => `${path}%3bx`,
  (path) => path.replace('/v1', '/v1;/../v1'),
  (path) => path.replaceAll('/', '\\'),
  (path) => path.replaceAll('/', '/%2e/'),
  (path) => path.replace('/v1/', '/v1%2f'),
  (path) => path.replace('/v1/', '/v1%2F'),
  (path) => path.replace('/v1/', '/v1%252f'),
  (path) => path.replace('/v1/', '/v1%5c'),
  (path) => path.replace('/v1/', '/v1\\'),
  (path) => path.replace('/v1/', '/v1%c0%af'),
  (path) => path.replace('/v1/', '/v1%ef%bc%8f'),
  (path) => path.replace('/v1/', '/v1%u002f'),
  (path) => escaped(path, /[a-z]/g),
  (path) => escaped(path, /[a-z]$/),
  (path) => escaped(path, /[a-z]/g, 2),
  (path) => escaped(path, /[a-z]/g, 3),
  (path) => escaped(upper(path), /[A-Z]/g),
  (path) => path.replace(/[a-z](?=[a-z]*$)/, (letter) => `%u00${letter.charCodeAt(0).toString(16)}`),
  (path) => path.replaceAll('i', '%c4%b0'),
  (path) => path.replaceAll('i', '%c4%b1'),
  (path) => path.replaceAll('s', '%c5%bf'),
  (path) => path.replaceAll('k', '%e2%84%aa'),
  (path) => path.replaceAll('a', '%ef%bd%81'),
  (path) => path.replace(/.$/, (letter) => `%E2%80%8B${letter}`),
  (path) => `${path}%20`,
  (path) => `${path}%09`,
  (path) => `${path}%00`,
  (path) => `${path}%0a`,
  (path) => `${path}.`,
  (path) => `${path}%2e`,
  (path) => `${path}#`,
  (path) => `${path}?`,
  (path) => `${path}%3f`,
  (path) => `${path}%23`,
  (path) => `${path} `,
  (path) => `${path}.json`,
  (path) => `http://api.example${path}`,
  (path) => `http://api.example/${path}`,
  (path) => `http://api.example${upper(path)}?x`,
  (path) => `HTTP://api.example${escaped(path, /[a-z]/g)}`,
]

const prefixes = nativeOnlyPrefixes.map((prefix) => prefix.replace('*', ''))
const paths = prefixes.flatMap((prefix) => [prefix, `${prefix}/billing`])

describe('a path that only the gateway serves', () => {
  it.each(paths)('RFC 3986 6.2.2: never reaches the core, in any spelling: %s', async (path) => {
    const recording = recordCore(gateway.core)
    recording.takeNew()
    const send = async (method: string, target: string) => {
      const client = await openRawClient(portOf(gateway))
      client.send(head(`${method} ${target}`))
      const response = await client.receiveResponse()
      expectValidResponse(response)
      client.socket.destroy()
      return response
    }
    for (const spell of spellings) {
      for (const method of ['GET', 'POST', 'PURGE']) {
        const target = spell(path)
        const response = await send(method, target)
        const where = `${method} ${target}`
        // A spelling that is a different path may be forwarded.
        if (isNativeOnlyTarget(target))
          expect(response.header('x-service-core-runtime'), where).toBe('native')
        if (response.header('x-service-core-runtime') === 'native')
          expect(response.status, where).toBeGreaterThan(399)
      }
    }
    const received = await collectCoreRequests(gateway, recording)
    expect(received.filter((request) => isNativeOnlyTarget(request.split(' ')[1] ?? ''))).toEqual([])
  })

  it('RFC 3986 6.2.2: is not matched by paths that only begin like it', async () => {
    const targets = [
      '/v1/webhooksx',
      '/v1/internals',
      '/v1/media-intelligence',
      '/v1/x/webhooks',
      '/v1/catalog-analysis-x',
    ]
    for (const target of targets) {
      const client = await openRawClient(portOf(gateway))
      client.send(get(target))
      expect((await client.receiveResponse()).header('x-service-core-runtime'), target).toBe('proxy')
      client.socket.destroy()
    }
  })
})
