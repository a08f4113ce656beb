import { afterEach, describe, expect, it } from 'vitest'
import { itThoroughly } from '#test/support/count-cases.ts'
import { errorBody, errorOfRead } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import {
  get,
  openRawClient,
  post,
  type RawClient,
  type RawResponse,
  sendRaw,
} from '#test/support/raw-client.ts'
import type { Reply } from '#test/support/raw-core.ts'

const gateway = startTestGateway({
  control: 'fixed',
  core: 'recording',
  environment: { BODY_LIMIT_BYTES: '20000', BODY_MEMORY_BYTES: '40000', TRUSTED_PROXIES: '127.0.0.9' },
})
const silent: Reply = () => {}
const port = () => Number(new URL(gateway.url).port)
const clients: RawClient[] = []

afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy()
  // Idle connections may stay open, so the count need not be 0.
  await expect.poll(() => gateway.core.openConnections(), { timeout: 10_000 }).toBeLessThan(20)
})

const open = async (message: string, address: string) => {
  const client = await openRawClient(port(), address)
  clients.push(client)
  client.send(message)
  return client
}

const send = (message: string, address: string) => sendRaw(port(), message, 'GET', address)

const expectBusy = (response: RawResponse, route: string) => {
  expect([response.status, JSON.parse(response.body)]).toEqual([503, errorBody('gateway_busy')])
  expect(response.header('retry-after')).toBe('1')
  expect(response.header('x-service-core-runtime')).toBe('native')
  expect(response.header('x-service-native-route')).toBe(route)
}

const [first, second, proxy] = ['127.0.0.1', '127.0.0.2', '127.0.0.9']
const body = 'x'.repeat(4000)

describe('body memory', () => {
  const incomplete = (...headers: string[]) => post('/v1/unmatched', `${body}x`, ...headers).slice(0, -1)
  const names = async () => {
    const { token } = await gateway.signUp()
    return post('/v1/libraries', JSON.stringify({ name: 'x'.repeat(50) }), `Authorization: Bearer ${token}`)
  }

  it('is denied to a client that already uses half of it, but not to others', async () => {
    for (let stalled = 0; stalled < 5; stalled++) await open(incomplete(), first)
    const native = await names()
    await expect.poll(async () => (await send(native, first)).status).toBe(503)
    expectBusy(await send(native, first), 'libraries.create')
    expectBusy(await send(post('/v1/unmatched', body), first), 'unmatched')
    expect((await send(native, second)).status).toBe(201)
    expect((await send(post('/v1/unmatched', body), second)).status).toBe(200)
  })

  it("is divided among a trusted proxy's clients", async () => {
    const from = (address: string) => `X-Forwarded-For: ${address}`
    for (let stalled = 0; stalled < 5; stalled++) await open(incomplete(from('192.0.2.1')), proxy)
    const sendFrom = (address: string) => send(post('/v1/unmatched', body, from(address)), proxy)
    await expect.poll(async () => (await sendFrom('192.0.2.1')).status).toBe(503)
    expect((await sendFrom('192.0.2.2')).status).toBe(200)
  })

  it('is denied to every address in an IPv6 network that uses half of it', async () => {
    const from = (address: string) => `X-Forwarded-For: ${address}`
    for (let stalled = 0; stalled < 5; stalled++) await open(incomplete(from(`2001:db8::${stalled}`)), proxy)
    const sendFrom = (address: string) => send(post('/v1/unmatched', body, from(address)), proxy)
    await expect.poll(async () => (await sendFrom('2001:db8::99')).status).toBe(503)
    expect((await sendFrom('2001:db8:0:1::1')).status).toBe(200)
  })

  it('causes one warning, without the address, if one client uses too much of it', () => {
    const warnings = gateway.log.lines.filter(({ level }) => level === 'warn')
    expect(warnings).toEqual([
      {
        level: 'warn',
        fields: { setting: 'TRUSTED_PROXIES', traceId: expect.any(String) },
        message: 'share of one client address exceeded: list the address if it is a load balancer',
      },
    ])
  })
})

describe('connections to the core', () => {
  // Leaves out the gateway's own probes of a core that may hang.
  const countRequests = () => gateway.core.requests.filter(({ target }) => target !== '/').length

  it('are denied with gateway_busy to a client that uses half of them, but not to others', async () => {
    gateway.core.nextReplies.push(...Array.from({ length: 128 }, () => silent))
    const before = countRequests()
    await Promise.all(Array.from({ length: 128 }, () => open(get('/v1/hanging'), first)))
    await expect.poll(countRequests, { timeout: 10_000 }).toBe(before + 128)
    const waiting = await open(get('/v1/tracks'), first)
    expect((await send(get('/v1/hanging'), second)).status).toBe(200)
    expect((await send(get('/v1/tracks'), second)).status).toBe(200)
    expectBusy(await waiting.receiveResponse(), 'tracks.list')
    expect(countRequests()).toBe(before + 130)
  })

  itThoroughly('are denied with core_unavailable to a route that uses two thirds of them', async () => {
    gateway.core.nextReplies.push(...Array.from({ length: 171 }, () => silent))
    const before = countRequests()
    const countSent = () => countRequests() - before
    await Promise.all(Array.from({ length: 171 }, (_, at) => open(get('/v1/hanging'), `127.0.1.${at + 1}`)))
    await expect.poll(countSent, { timeout: 10_000 }).toBe(171)
    const waiting = await open(get('/v1/hanging'), second)
    expect((await send(get('/v1/tracks'), second)).status).toBe(200)
    const response = await waiting.receiveResponse()
    expect([response.status, JSON.parse(response.body)]).toEqual([503, errorOfRead('core_unavailable')])
    expect(response.header('retry-after')).toBe('1')
    expect(response.header('x-service-core-runtime')).toBe('proxy')
  })
})
