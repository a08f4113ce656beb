import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ErrorCode } from '#contracts/errors.ts'
import { errorBody } from '#test/support/error-body.ts'
import {
  get,
  openRawClient,
  post,
  type RawClient,
  type RawResponse,
  sendRaw,
} from '#test/support/raw-client.ts'
import { type Reply, replyOk } from '#test/support/raw-core.ts'
import { startCoreAndGateway, until } from './forwarding-gateway.ts'

type Options = Parameters<typeof startCoreAndGateway>[1]

const endless: Reply = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
  const interval = setInterval(() => socket.write('1\r\nx\r\n'), 10)
  socket.once('close', () => clearInterval(interval))
}

/**
 * Starts a gateway whose core never responds to paths below `/v1/hanging`, streams without end below `/v1/endless`, and
 * responds normally to all other requests.
 */
const start = async (options: Options) => {
  const core: Reply = (socket, request) => {
    if (request.target.startsWith('/v1/hanging')) return
    if (request.target.startsWith('/v1/endless')) return endless(socket, request)
    request.body.then(() => replyOk(socket, request))
  }
  const started = await startCoreAndGateway(core, {
    routeOf: (path) => path.split('/')[2] ?? '',
    queueTimeoutMs: 30_000,
    ...options,
  })
  const { port } = started
  const clients: RawClient[] = []
  onTestFinished(() => {
    for (const { socket } of clients) socket.destroy()
  })
  const open = async (message: string, address: string) => {
    const client = await openRawClient(port, address)
    clients.push(client)
    client.send(message)
    return client
  }
  const hold = async (message: string, address: string, count: number) => {
    for (let sent = 0; sent < count; sent++) {
      const before = started.core.requests.length
      await open(message, address)
      await until(() => started.core.requests.length > before)
    }
  }
  const send = (message: string, address: string) => sendRaw(port, message, 'GET', address)
  const countHanging = () => started.core.requests.filter(({ target }) => target === '/v1/hanging').length
  return { ...started, open, hold, send, countHanging, clients }
}

const expectError = (response: RawResponse, code: ErrorCode) => {
  expect([response.status, JSON.parse(response.body)]).toEqual([503, errorBody(code)])
  expect(response.header('retry-after')).toBe('1')
}

const [first, second, third] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const
const hanging = get('/v1/hanging')
const tracks = get('/v1/tracks')

describe('a client that has used up its share of the connections', () => {
  it('gets gateway_busy after the queue timeout, while other clients are served', async () => {
    const { hold, open, send, countHanging } = await start({ connections: 8, queueTimeoutMs: 300 })
    await hold(hanging, first, 4)
    const waiting = await open(hanging, first)
    expect((await send(tracks, second)).status).toBe(200)
    expectError(await waiting.receiveResponse(), 'gateway_busy')
    expect(countHanging()).toBe(4)
  })

  it('gets gateway_busy immediately if its share of the queue is used up as well', async () => {
    const { hold, open, send } = await start({ uploadConnections: 4 })
    const upload = 'POST /v1/hanging HTTP/1.1\r\nHost: a\r\nContent-Length: 70000\r\n\r\npart'
    await hold(upload, first, 2)
    await Promise.all(Array.from({ length: 128 }, () => open(upload, first)))
    expectError(await send(upload, first), 'gateway_busy')
    const body = 'x'.repeat(70_000)
    expect((await send(post('/v1/uploads', body), second)).status).toBe(200)
  })

  it("waits no longer than the core's timeout", async () => {
    const { hold, send } = await start({ connections: 4, timeoutMs: 200 })
    await hold(hanging, first, 1)
    const responses = await Promise.all([1, 2, 3].map(() => send(hanging, first)))
    for (const { status } of responses) expect([503, 504]).toContain(status)
  })

  it('is served once one of its requests has ended', async () => {
    const { hold, open, clients } = await start({ connections: 4 })
    await hold(hanging, first, 2)
    const waiting = await open(tracks, first)
    await sleep(30)
    expect(waiting.text()).toBe('')
    clients[0]?.socket.destroy()
    expect((await waiting.receiveResponse()).status).toBe(200)
  })

  it('is reported if it sends more and already holds nearly all connections in use', async () => {
    let reports = 0
    const { hold, open } = await start({ connections: 4, onDominantClient: () => void reports++ })
    await hold(hanging, first, 2)
    expect(reports).toBe(0)
    await open(hanging, first)
    await until(() => reports > 0)
  })
})

describe('a burst from one client', () => {
  it("gets no error, even if it exceeds the client's share of the connections", async () => {
    const { send } = await start({ connections: 8 })
    const responses = await Promise.all(Array.from({ length: 300 }, () => send(tracks, first)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  })
})

describe('a lane whose connections are all in use', () => {
  it('rejects a request with core_unavailable after the queue timeout', async () => {
    const { hold, send } = await start({ connections: 2, queueTimeoutMs: 200 })
    await hold(hanging, first, 1)
    await hold(get('/v1/endless'), second, 1)
    expectError(await send(tracks, third), 'core_unavailable')
  })

  it('does not hold up the other lane', async () => {
    const { hold, send } = await start({ connections: 2, uploadConnections: 1, queueTimeoutMs: 200 })
    await hold(hanging, first, 1)
    await hold(get('/v1/endless'), second, 1)
    expect((await send(post('/v1/uploads', 'x'.repeat(70_000)), third)).status).toBe(200)
  })
})

describe('a route that hangs', () => {
  it('leaves connections for other routes, however many clients call it', async () => {
    const { open, send, countHanging } = await start({ connections: 8, queueTimeoutMs: 1000 })
    const waiting = await Promise.all(
      Array.from({ length: 30 }, (_, at) => open(hanging, `127.0.1.${at + 1}`)),
    )
    await until(() => countHanging() === 6)
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, at) => send(tracks, `127.0.1.${at + 1}`)),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    await until(() => waiting.filter((client) => client.text() !== '').length === 24)
    for (const client of waiting)
      if (client.text() !== '') expectError(await client.receiveResponse(), 'core_unavailable')
    expect(countHanging()).toBe(6)
  })

  it('stays available to other clients while the requests of three clients hang', async () => {
    const { hold, send } = await start({ connections: 32, routeOf: () => 'unmatched' })
    await hold(hanging, first, 16)
    await hold(hanging, second, 8)
    await hold(hanging, third, 4)
    expect((await send(tracks, '127.0.0.4')).status).toBe(200)
  })
})

describe('a response that streams for a long time', () => {
  it('frees its slot for other requests', async () => {
    const { hold, send, clients } = await start({
      connections: 4,
      longStreamAfterMs: 50,
      extraConnections: 4,
    })
    await hold(get('/v1/endless'), first, 2)
    expect((await send(tracks, first)).status).toBe(200)
    const before = clients[0]?.text().length ?? 0
    await until(() => (clients[0]?.text().length ?? 0) > before)
  })

  it("keeps its slot while its client's share of the extra connections is used up", async () => {
    const { hold, open, send, clients } = await start({
      connections: 4,
      longStreamAfterMs: 50,
      extraConnections: 4,
    })
    await hold(get('/v1/endless'), first, 4)
    const waiting = await open(tracks, first)
    await sleep(600)
    expect(waiting.text()).toBe('')
    expect((await send(tracks, second)).status).toBe(200)
    clients[0]?.socket.destroy()
    expect((await waiting.receiveResponse()).status).toBe(200)
  })

  it('frees its slot even while its client does not read', async () => {
    const { hold, send, clients, core } = await start({ connections: 4, longStreamAfterMs: 50 })
    const large: Reply = (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 90000000\r\n\r\n`)
      socket.write(Buffer.alloc(90_000_000))
    }
    core.nextReplies.push(large, large)
    await hold(tracks, first, 1)
    clients[0]?.socket.pause()
    await hold(tracks, first, 1)
    clients[1]?.socket.pause()
    expect((await send(tracks, first)).status).toBe(200)
  })
})
