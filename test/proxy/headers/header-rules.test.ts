import { describe, expect, it } from 'vitest'
import { parseTrustedProxies, resolveClientOrigin } from '#proxy/headers/client-origin.ts'
import {
  clientResponseHeaders,
  coreRequestHeaders,
  createViaPseudonym,
  isForwardingLoop,
} from '#proxy/headers/header-rules.ts'
import { headersOfProxies } from '#test/support/headers-of-proxies.ts'

const peer = { address: '203.0.113.7', encrypted: false, host: 'api.example' }
const untrustedClient = resolveClientOrigin([], peer, parseTrustedProxies([]))

const toCore = (headers: readonly string[], client = untrustedClient) =>
  coreRequestHeaders(
    headers,
    { method: 'GET', client, requestId: 'req_1', trace: null },
    { httpVersion: '1.1', viaPseudonym: 'crossfade-1' },
  )

const added = [
  'via',
  '1.1 crossfade-1',
  'x-forwarded-for',
  '203.0.113.7',
  'x-forwarded-proto',
  'http',
  'x-forwarded-host',
  'api.example',
  'x-request-id',
  'req_1',
]

const serviceHeaders = ['x-service-core-runtime', 'proxy']

type SetHeaders = Parameters<typeof clientResponseHeaders>[2]

const toClient = (
  headers: readonly string[],
  { status = 200, ...set }: Partial<SetHeaders & { status: number }> = {},
) =>
  clientResponseHeaders(
    headers,
    status,
    { responseHeaders: serviceHeaders, replacesCors: false, replacedHeaders: null, ...set },
    { coreOrigins: ['http://core.example:9000'], publicBaseUrl: 'https://public.example' },
  )

const noStore = ['cache-control', 'no-store']

const hopByHop = [
  ['Keep-Alive', 'timeout=5'],
  ['Proxy-Connection', 'keep-alive'],
  ['Proxy-Authenticate', 'Basic'],
  ['Proxy-Authorization', 'Basic x'],
  ['TE', 'trailers'],
  ['Trailer', 'X-Sum'],
  ['Transfer-Encoding', 'chunked'],
  ['Upgrade', 'websocket'],
  ['HTTP2-Settings', 'AAMAAABkAAQ'],
  ['connection', 'close'],
] as const

describe('request headers', () => {
  it('keep their order, case and count', () => {
    const headers = [
      'X-B',
      '1',
      'Accept',
      'a',
      'x-b',
      '2',
      'Cookie',
      'a=1',
      'X-B',
      '3',
      'Authorization',
      'Bearer t',
      'Range',
      'bytes=0-1',
    ]
    expect(toCore(headers)).toEqual([...headers, ...added])
  })

  it.each(hopByHop)('are dropped if they are hop-by-hop: %s', (name, value) => {
    expect(toCore([name, value, name.toUpperCase(), value])).toEqual(added)
  })

  it('are dropped if any Connection header lists them, in upper or lower case', () => {
    const headers = [
      'X-A',
      '1',
      'Connection',
      'x-a, X-B',
      'x-b',
      '2',
      'CONNECTION',
      'keep-alive,X-C',
      'X-c',
      '3',
      'X-D',
      '4',
    ]
    expect(toCore(headers)).toEqual(['X-D', '4', ...added])
  })

  it('that the gateway adds are sent even if Connection lists them', () => {
    const named = 'via, x-forwarded-for, x-forwarded-proto, x-forwarded-host, x-request-id'
    expect(toCore(['Connection', named])).toEqual(added)
  })

  it.each(['X-Service-Core-Runtime', 'x-service-shadow', 'X_Forwarded_For', 'Content_Length', 'x_a'])(
    'are dropped if they are service headers or have an underscore: %s',
    (name) => {
      expect(toCore([name, '1'])).toEqual(added)
    },
  )

  it.each(['Host', 'Content-Length', 'Expect', 'X-Request-Id', 'X-HTTP-Method', 'X-Method-Override'])(
    'are dropped if they could contradict the routed request: %s',
    (name) => {
      expect(toCore([name, '1'])).toEqual(added)
    },
  )

  it.each([
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'X-Forwarded-Host',
    'X-Forwarded-Port',
    'X-Forwarded-Prefix',
    ...headersOfProxies,
    'Forwarded',
  ])('are dropped if only a trusted proxy may set them: %s', (name) => {
    expect(toCore([name, 'x', name.toLowerCase(), 'x', name.toUpperCase(), 'x'])).toEqual(added)
  })

  it("include the Via of other proxies, followed by the gateway's", () => {
    expect(toCore(['Via', '1.0 fred'])).toEqual(['Via', '1.0 fred', ...added])
  })

  it("include a trusted proxy's X-Forwarded-* and Forwarded, with the proxy's address appended", () => {
    const headers = [
      'X-Forwarded-For',
      '198.51.100.1',
      'X-Forwarded-Proto',
      'https',
      'X-Forwarded-Host',
      'public.example',
      'X-Forwarded-Port',
      '443',
      'X-Real-IP',
      '198.51.100.1',
      'Forwarded',
      'for=198.51.100.1',
    ]
    const client = resolveClientOrigin(headers, peer, parseTrustedProxies(['203.0.113.0/24']))
    expect(toCore(headers, client)).toEqual([
      'X-Forwarded-Port',
      '443',
      'X-Real-IP',
      '198.51.100.1',
      'via',
      '1.1 crossfade-1',
      'x-forwarded-for',
      '198.51.100.1, 203.0.113.7',
      'x-forwarded-proto',
      'https',
      'x-forwarded-host',
      'public.example',
      'forwarded',
      'for=198.51.100.1, for=203.0.113.7',
      'x-request-id',
      'req_1',
    ])
  })
})

describe('response headers', () => {
  it('keep their order, case and count, and Set-Cookie headers stay separate', () => {
    const headers = [
      'Set-Cookie',
      'a=1; Path=/',
      'ETag',
      '"x"',
      'set-cookie',
      'b=2',
      'Content-Encoding',
      'gzip',
      'Content-Range',
      'bytes 0-1/2',
      'Vary',
      'a',
      'vary',
      'b',
      'Cache-Control',
      'max-age=5',
    ]
    expect(toClient(headers)).toEqual([...headers, ...serviceHeaders])
  })

  it.each(hopByHop)('are dropped if they are hop-by-hop: %s', (name, value) => {
    expect(toClient([name, value])).toEqual([...noStore, ...serviceHeaders])
  })

  it('are dropped if Connection lists them, except the service headers', () => {
    const headers = ['X-A', '1', 'Connection', 'x-a, x-service-core-runtime, cache-control']
    expect(toClient(headers)).toEqual([...noStore, ...serviceHeaders])
  })

  it('are dropped if only the gateway may set them', () => {
    expect(toClient(['X-Service-Core-Runtime', 'native', 'x-service-other', '1'])).toEqual([
      ...noStore,
      ...serviceHeaders,
    ])
  })

  it('are kept if they have an underscore', () => {
    expect(toClient(['X_Total_Count', '1'])).toEqual(['X_Total_Count', '1', ...noStore, ...serviceHeaders])
  })

  it('include Cache-Control: no-store unless the core sets Cache-Control', () => {
    expect(toClient([])).toEqual([...noStore, ...serviceHeaders])
    expect(toClient(['cache-CONTROL', 'private'])).toEqual(['cache-CONTROL', 'private', ...serviceHeaders])
  })

  it('are dropped if they are CORS headers and the gateway sets its own', () => {
    const cors = ['Access-Control-Allow-Origin', '*']
    expect(toClient(cors)).toEqual([...cors, ...noStore, ...serviceHeaders])
    expect(toClient(cors, { replacesCors: true })).toEqual([...noStore, ...serviceHeaders])
  })

  it('are dropped if the gateway replaces them, whatever their case', () => {
    const hop = {
      responseHeaders: ['x-frame-options', 'SAMEORIGIN', ...serviceHeaders],
      replacedHeaders: new Set(['x-frame-options']),
    }
    const headers = ['X-Frame-Options', 'DENY', 'ETag', '"x"', 'x-frame-options', 'ALLOWALL']
    expect(toClient(headers, hop)).toEqual(['ETag', '"x"', ...noStore, ...hop.responseHeaders])
  })

  it("include each of the core's Set-Cookie headers even if the gateway sets cookies too", () => {
    const hop = {
      responseHeaders: ['set-cookie', 'b=2', ...serviceHeaders],
      replacedHeaders: new Set(['set-cookie']),
    }
    expect(toClient(['Set-Cookie', 'a=1'], hop)).toEqual([
      'Set-Cookie',
      'a=1',
      ...noStore,
      ...hop.responseHeaders,
    ])
  })

  it('include only one Cache-Control header if the gateway replaces it', () => {
    const hop = {
      responseHeaders: ['cache-control', 'max-age=5', ...serviceHeaders],
      replacedHeaders: new Set(['cache-control']),
    }
    expect(toClient(['Cache-Control', 'private'], hop)).toEqual(hop.responseHeaders)
    expect(toClient([], hop)).toEqual(hop.responseHeaders)
  })

  it('include no Content-Length with status 204, but keep it with 304', () => {
    expect(toClient(['Content-Length', '0'], { status: 204 })).toEqual([...noStore, ...serviceHeaders])
    expect(toClient(['Content-Length', '9'], { status: 304 })).toEqual([
      'Content-Length',
      '9',
      ...noStore,
      ...serviceHeaders,
    ])
  })
})

describe("a deployment's Via pseudonym", () => {
  it('is the same for all instances of a deployment, and differs between deployments', () => {
    const ours = createViaPseudonym('one secret')
    expect(ours).toMatch(/^crossfade-[0-9a-f]{16}$/)
    expect(createViaPseudonym('one secret')).toBe(ours)
    expect(createViaPseudonym('another secret')).not.toBe(ours)
  })

  it('is recognized in any Via header, and in no other header', () => {
    expect(isForwardingLoop(['Via', '1.1 a', 'via', '1.1 b, 1.1 crossfade-1'], 'crossfade-1')).toBe(true)
    expect(isForwardingLoop(['Via', '1.1 a, 1.1 crossfade-2', 'X-Via', 'crossfade-1'], 'crossfade-1')).toBe(
      false,
    )
  })
})
