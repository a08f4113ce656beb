import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type BreakerCounts, type BreakerState, createCircuitBreaker } from '#proxy/circuit-breaker.ts'
import { errorBody } from '#test/support/error-body.ts'
import { get, openRawClient, post, sendRaw } from '#test/support/raw-client.ts'
import { type Reply, replyOk, startRawCore } from '#test/support/raw-core.ts'
import { askRequest } from './ask-request.ts'
import { startCoreAndGateway, startForwardingGateway, until } from './forwarding-gateway.ts'
import { createHangingReplies } from './hanging-core.ts'
import { head200, silent } from './misbehaving-core.ts'

const timing = { timeoutMs: 20_000, hangTiming: { silenceMs: 1000, probeTimeoutMs: 200 } }

const createRecordedBreaker = () => {
  const changes: (readonly [BreakerState, BreakerCounts['cause']])[] = []
  const breaker = createCircuitBreaker({
    openMs: 100,
    onChange: (state, { cause }) => changes.push([state, cause]),
  })
  return { breaker, changes }
}

const listen = (server: Server, port = 0) =>
  new Promise<number>((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

const sendFromEach = (port: number, messages: readonly string[]) =>
  messages.map((message, client) => sendRaw(port, message, 'GET', `127.0.0.${2 + client}`))

const gets = (count: number, ...headers: string[]) =>
  Array.from({ length: count }, (_, index) => get(`/v1/requests/${index}`, ...headers))

describe('a core that accepts connections and does not respond', () => {
  const startHanging = async (options = {}) => {
    const { breaker, changes } = createRecordedBreaker()
    const replies = createHangingReplies()
    const started = await startCoreAndGateway(replies.reply, { ...timing, breaker, ...options })
    replies.setHanging(true)
    return { ...started, ...replies, changes }
  }

  it('gets no new request until it responds to a probe, and never gets a waiting request twice', async () => {
    const { core, gateway, port, setHanging, changes } = await startHanging({ retryable: true })
    const messages = [...gets(4), post('/v1/written', '{}'), post('/v1/written', '{}')]
    const responses = await Promise.all(sendFromEach(port, messages))
    expect(responses.map(({ status, body }) => [status, JSON.parse(body)])).toEqual(
      messages.map(() => [504, errorBody('core_timeout')]),
    )
    expect(core.requests.filter(({ target }) => target.startsWith('/v1'))).toHaveLength(messages.length)
    expect(await gateway.transport.readCoreState()).toBe('hanging')
    expect(gateway.transport.readings()).toMatchObject({ isHanging: true, hangs: 1 })
    await until(() => gateway.transport.readings().lanes.requests.used === 0)
    const refused = await sendRaw(port, get('/v1/refused'))
    expect([refused.status, refused.header('retry-after')]).toEqual([503, '1'])
    expect(core.requests.map(({ target }) => target)).not.toContain('/v1/refused')
    setHanging(false)
    await until(() => gateway.transport.breakerState() === 'closed')
    expect((await sendRaw(port, get('/v1/tracks'))).status).toBe(200)
    expect(changes).toEqual([
      ['open', 'hanging'],
      ['closed', 'hanging'],
    ])
    expect(gateway.transport.readings()).toMatchObject({ isHanging: false, hangs: 1 })
  })

  it('is probed without credentials, at the configured path', async () => {
    const { core, gateway, port } = await startHanging({ probePath: '/health?from=gateway' })
    await Promise.all(sendFromEach(port, gets(5, 'Authorization: Bearer x', 'Cookie: a=b')))
    const probes = core.requests.filter(({ target }) => target === '/health?from=gateway')
    expect(probes.length).toBeGreaterThan(0)
    expect(probes.map(({ method }) => method)).toEqual(probes.map(() => 'GET'))
    for (const { headers } of probes)
      expect(headers.map(([name]) => name.toLowerCase()).sort()).toEqual(['connection', 'host', 'user-agent'])
    expect(gateway.transport.breakerState()).toBe('open')
  })

  it('never gets the queued requests, and their slots are freed', async () => {
    const { core, gateway, port } = await startHanging({ connections: 5 })
    const responses = await Promise.all(sendFromEach(port, gets(9)))
    const statuses = responses.map(({ status }) => status)
    const sent = core.requests.filter(({ target }) => target.startsWith('/v1')).length
    expect(statuses.filter((status) => status === 504)).toHaveLength(sent)
    expect(statuses.filter((status) => status === 503)).toHaveLength(9 - sent)
    expect(sent).toBeLessThan(9)
    await until(() => gateway.transport.readings().lanes.requests.used === 0)
    expect(gateway.transport.readings().lanes.requests).toMatchObject({ waiting: 0, connecting: 0 })
  })

  it('causes no abort of uploads that are still being sent or of responses that have begun', async () => {
    const { core, gateway, port } = await startHanging({ bodyLimit: 10 })
    core.nextReplies.push((socket) => socket.write(`${head200}Content-Length: 8\r\n\r\nhalf`))
    const download = await openRawClient(port, '127.0.0.50')
    download.send(get('/v1/download'))
    await until(() => download.text().endsWith('half'))
    const upload = await openRawClient(port, '127.0.0.51')
    upload.send('POST /v1/up HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nstart')
    await until(() => gateway.transport.readings().lanes.uploads.used === 1)
    await Promise.all(sendFromEach(port, gets(5)))
    expect(gateway.transport.breakerState()).toBe('open')
    expect(gateway.transport.readings().lanes).toMatchObject({ requests: { used: 1 }, uploads: { used: 1 } })
    for (const { socket } of [download, upload]) {
      expect(socket.readableEnded).toBe(false)
      socket.destroy()
    }
  })

  it('makes the gateway end its own waiting requests', async () => {
    const { gateway, port } = await startHanging()
    const asked = gateway.transport.ask(askRequest({ timeoutMs: 60_000 }))
    await Promise.all(sendFromEach(port, gets(5)))
    expect(await asked).toEqual({ kind: 'failed', code: 'core_timeout' })
    await until(() => gateway.transport.readings().lanes.asks.used === 0)
  })

  it("does not delay the gateway's shutdown while it is probed", async () => {
    const { core, gateway, port } = await startHanging()
    await Promise.all(sendFromEach(port, gets(5)))
    const received = core.requests.length
    await until(() => core.requests.length >= received + 2)
    await gateway.transport.close()
    await until(() => core.openConnections() === 0)
  })
})

it('frees the slots of requests that have no connection yet when the core hangs', async () => {
  const sockets = new Set<Socket>()
  // The server never completes the TLS handshake.
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).resume()
  })
  const port = await listen(server)
  const gateway = await startForwardingGateway(`https://127.0.0.1:${port}`, {
    ...timing,
    connectTimeoutMs: 60_000,
    breaker: createRecordedBreaker().breaker,
  })
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await gateway.close()
  })
  const responses = await Promise.all(sendFromEach(gateway.port, gets(6)))
  expect(responses.map(({ status }) => status)).toEqual(gets(6).map(() => 503))
  expect(await gateway.transport.readCoreState()).toBe('hanging')
  await until(() => gateway.transport.readings().lanes.requests.used === 0)
})

describe('no hang is detected for a core', () => {
  const respondAfter =
    (delayMs: number): Reply =>
    (socket, request) =>
      void setTimeout(() => replyOk(socket, request), delayMs)

  it.each<[string, Reply, number]>([
    ['whose heads arrive, even if late', respondAfter(1200), 20],
    [
      'that responds to the probe',
      (socket, request) => (request.target === '/' ? replyOk : respondAfter(1700))(socket, request),
      20,
    ],
    ['that keeps fewer than five requests waiting', respondAfter(1700), 4],
  ])('%s', async (_, reply, count) => {
    const { gateway, port } = await startCoreAndGateway(reply, timing)
    const responses = await Promise.all(sendFromEach(port, gets(count)))
    expect(responses.map(({ status }) => status)).toEqual(gets(count).map(() => 200))
    expect([gateway.transport.breakerState(), gateway.transport.readings().hangs]).toEqual(['closed', 0])
  })
})

describe('a core that cannot be reached', () => {
  it("is detected as available again by a probe, without a client's request", async () => {
    const { port, close } = await startRawCore()
    await close()
    const { breaker, changes } = createRecordedBreaker()
    const gateway = await startForwardingGateway(`http://127.0.0.1:${port}`, { ...timing, breaker })
    onTestFinished(gateway.close)
    for (let attempt = 0; attempt < 5; attempt++) await sendRaw(gateway.port, get('/v1/tracks'))
    expect(gateway.transport.breakerState()).toBe('open')
    expect(await gateway.transport.readCoreState()).toBe('down')
    const received: string[] = []
    const core = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        received.push(String(chunk).split(' ')[1] ?? '')
        socket.write(`${head200}Content-Length: 0\r\n\r\n`)
      })
    })
    await listen(core, port)
    onTestFinished(() => void core.close())
    await until(() => gateway.transport.breakerState() === 'closed')
    expect(new Set(received)).toEqual(new Set(['/']))
    expect(changes).toEqual([
      ['open', 'unreachable'],
      ['closed', 'unreachable'],
    ])
    expect((await sendRaw(gateway.port, get('/v1/tracks'))).status).toBe(200)
  })

  it('does not close the circuit breaker by accepting a connection without responding', async () => {
    const { breaker } = createRecordedBreaker()
    const { core, gateway } = await startCoreAndGateway(silent, { ...timing, breaker })
    for (let attempt = 0; attempt < 5; attempt++) breaker.recordFailure()
    await until(() => core.requests.length >= 3)
    breaker.recordSuccess()
    expect(gateway.transport.breakerState()).toBe('open')
  })
})
