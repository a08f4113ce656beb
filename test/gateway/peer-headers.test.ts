import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { headersOfProxies } from '#test/support/headers-of-proxies.ts'
import { startTestWorker } from '#test/support/worker.ts'

const overrides = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'X_HTTP_Method_Override']

const trustedAddress = '127.0.0.1'
const untrustedAddress = '198.51.100.7'

const untrusting = startTestGateway({
  control: 'fixed',
  core: 'recording',
  environment: { RATE_LIMIT_PUBLIC_READS: '3/600' },
})
const trusting = startTestGateway({
  control: 'fixed',
  core: 'recording',
  environment: { TRUSTED_PROXIES: trustedAddress, RATE_LIMIT_PUBLIC_READS: '3/600' },
})
const worker = startTestWorker(trusting)

type Request = TestGateway['request']

// Cloudflare always sets this header itself, so a client cannot choose its value.
const fromAddress =
  (address: string): Request =>
  (method, path, { headers = {}, ...options } = {}) =>
    worker.request(method, path, { ...options, headers: { 'cf-connecting-ip': address, ...headers } })

interface Peer {
  readonly name: string
  readonly isTrusted: boolean
  readonly request: Request
  readonly core: () => TestGateway['core']
}

// Headers that applications and browsers send, and that must reach the core.
const headersOfClients = [
  ...['X-Requested-With', 'X-CSRF-Token', 'X-User-Id', 'X-Api-Key', 'X-Original-Filename', 'Client-Version'],
  ...[
    'Sec-Fetch-Site',
    'X-B3-TraceId',
    'CF-IPCountry',
    'X-Goog-IAP-JWT-Assertion',
    'Cf-Access-Jwt-Assertion',
  ],
]

const nodePeers: readonly Peer[] = [
  { name: 'a client of Node', isTrusted: false, request: untrusting.request, core: () => untrusting.core },
  { name: 'a trusted proxy of Node', isTrusted: true, request: trusting.request, core: () => trusting.core },
]
const workerPeers: readonly Peer[] = [
  {
    name: 'a client of Workers',
    isTrusted: false,
    request: fromAddress(untrustedAddress),
    core: () => trusting.core,
  },
  {
    name: 'a trusted proxy of Workers',
    isTrusted: true,
    request: fromAddress(trustedAddress),
    core: () => trusting.core,
  },
]
const peers = [...nodePeers, ...workerPeers]

const isSetByPlatform = (peer: Peer, name: string) =>
  workerPeers.includes(peer) && name === 'CF-Connecting-IP'

const valuesAtCore = ({ core }: Peer, wanted: string) =>
  core()
    .requests.at(-1)
    ?.headers.filter(([name]) => name.toLowerCase() === wanted.toLowerCase())
    .map(([, value]) => value)

describe.each(peers)('a request from $name', (peer) => {
  it.each(headersOfProxies.filter((name) => !isSetByPlatform(peer, name)))(
    `is forwarded ${peer.isTrusted ? 'with' : 'without'} %s`,
    async (name) => {
      const { status } = await peer.request('GET', '/v1/tracks', {
        headers: { [name]: '/v1/webhooks/links' },
      })
      expect(status).toBe(200)
      expect(valuesAtCore(peer, name)).toEqual(peer.isTrusted ? ['/v1/webhooks/links'] : [])
    },
  )

  it.each(headersOfClients)('is forwarded with %s', async (name) => {
    await peer.request('GET', '/v1/tracks', { headers: { [name]: 'value' } })
    expect(valuesAtCore(peer, name)).toEqual(['value'])
  })

  it.each(overrides)("is forwarded without %s if the header names the request's own method", async (name) => {
    for (const value of ['POST', 'post', ' Post', 'POST, POST']) {
      const { status } = await peer.request('POST', '/v1/tracks', { body: '{}', headers: { [name]: value } })
      expect(status).toBe(200)
      expect(valuesAtCore(peer, name)).toEqual([])
    }
  })

  it.each(overrides)('is rejected on every kind of route if %s names a different method', async (name) => {
    const before = peer.core().requests.length
    for (const [method, path] of [
      ['POST', '/v1/tracks'],
      ['GET', '/v1/no-such-thing'],
      ['POST', '/v1/libraries'],
      ['GET', '/healthz'],
    ] as const) {
      const response = await peer.request(method, path, { headers: { [name]: 'DELETE' } })
      expect([response.status, response.body]).toEqual([400, errorBody('bad_request')])
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
    expect(peer.core().requests.length).toBe(before)
  })
})

it('rejected method overrides are counted', async () => {
  const count = async () => {
    const { body } = await untrusting.requestAdmin('GET', '/metrics')
    return Number(/^crossfade_method_overrides_rejected_total (\d+)$/m.exec(body)?.[1])
  }
  const before = await count()
  await untrusting.request('POST', '/v1/tracks', { headers: { 'X-HTTP-Method': 'DELETE' } })
  expect(await count()).toBe(before + 1)
})

it.each(workerPeers)(
  'the address that Cloudflare reports reaches the core only in X-Forwarded-For: $name',
  async (peer) => {
    await peer.request('GET', '/v1/tracks')
    expect(valuesAtCore(peer, 'cf-connecting-ip')).toEqual([])
    const [forwardedFor] = valuesAtCore(peer, 'x-forwarded-for') ?? []
    expect(forwardedFor).toBe(peer.isTrusted ? trustedAddress : untrustedAddress)
  },
)

it("on Node, a client cannot choose its address with Cloudflare's header", async () => {
  const [peer] = nodePeers
  await peer!.request('GET', '/v1/tracks', { headers: { 'CF-Connecting-IP': untrustedAddress } })
  expect(valuesAtCore(peer!, 'x-forwarded-for')).toEqual(['127.0.0.1'])
})

describe.each(peers)('the rate limits of $name', (peer) => {
  const visit = async (headers: Record<string, string> = {}) =>
    (await peer.request('GET', '/v1/public/track-links/unknown', { headers })).status

  it('do not depend on the headers it sends', async () => {
    await expect.poll(() => visit(), { timeout: 10_000 }).toBe(429)
    const names = headersOfProxies.filter((name) => !isSetByPlatform(peer, name))
    for (let round = 0; round < 5; round++) {
      const reported = Object.fromEntries(names.map((name) => [name, `203.0.113.${round}`]))
      expect(await visit(reported)).toBe(429)
    }
  })
})
