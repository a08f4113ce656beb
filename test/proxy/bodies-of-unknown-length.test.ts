import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { progressLimits } from '#test/support/progress-limits.ts'
import { openRawClient, type RawClient, sendRaw } from '#test/support/raw-client.ts'
import { type Reply, replyOk } from '#test/support/raw-core.ts'
import { startCoreAndGateway, until } from './forwarding-gateway.ts'

const head = (...headers: string[]) =>
  ['POST /v1/uploads HTTP/1.1', 'Host: api.example', ...headers, '', ''].join('\r\n')

const chunked = head('Transfer-Encoding: chunked')
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const lastChunk = '0\r\n\r\n'

const replyWhenComplete: Reply = (socket, request) => {
  request.body.then(
    () => replyOk(socket, request),
    () => {},
  )
}

const start = (options: Parameters<typeof startCoreAndGateway>[1] = {}) =>
  startCoreAndGateway(replyWhenComplete, { bodyLimit: 1000, ...options })

describe('a body of unknown length that ends within the limit', () => {
  it('uses no connection to the core before it is complete, and is sent with its length', async () => {
    const { core, port, gateway } = await start()
    const client = await openRawClient(port)
    client.send(chunked + chunk('x'.repeat(999)))
    await until(() => gateway.budget.usedBytes >= 999)
    expect(core.received).toHaveLength(0)
    client.send(chunk('y') + lastChunk)
    expect((await client.receiveResponse()).status).toBe(200)
    expect((await core.requests[0]?.body)?.toString()).toBe(`${'x'.repeat(999)}y`)
    expect(core.requests[0]?.head.toLowerCase()).toContain('content-length: 1000')
    expect(core.requests[0]?.head.toLowerCase()).not.toContain('transfer-encoding')
    await until(() => gateway.budget.usedBytes === 0)
    client.socket.destroy()
  })

  it('is requested with 100 Continue immediately', async () => {
    const { core, port } = await start()
    const client = await openRawClient(port)
    client.send(head('Transfer-Encoding: chunked', 'Expect: 100-continue'))
    await until(() => client.text() === 'HTTP/1.1 100 Continue\r\n\r\n')
    expect(core.received).toHaveLength(0)
    client.send(chunk('hi') + lastChunk)
    expect((await client.receiveResponse()).status).toBe(200)
    client.socket.destroy()
  })

  it('is forwarded without its trailers', async () => {
    const { core, port } = await start()
    const response = await sendRaw(port, `${chunked}${chunk('hi')}0\r\nX-Trailer: 1\r\n\r\n`)
    expect(response.status).toBe(200)
    expect(core.received[0]?.toString().toLowerCase()).not.toContain('x-trailer')
  })

  it('is not sent when its client disconnects', async () => {
    const { core, port, gateway } = await start()
    const client = await openRawClient(port)
    client.send(chunked + chunk('part'))
    await until(() => gateway.budget.usedBytes > 0)
    client.socket.destroy()
    await until(() => gateway.budget.usedBytes === 0)
    expect(core.received).toHaveLength(0)
  })

  it('is rejected with 408 when its average rate is too low', async () => {
    const bodyProgress = progressLimits({ gracePeriodMs: 200, minBytesPerS: 1e6 })
    const { core, port } = await start({ bodyProgress })
    const client = await openRawClient(port)
    client.send(chunked)
    const dripping = setInterval(() => client.send(chunk('x')), 20)
    const response = await client.receiveResponse()
    clearInterval(dripping)
    expect(response.status).toBe(408)
    expect(core.received).toHaveLength(0)
    client.socket.destroy()
  })
})

describe('a body of unknown length that exceeds the limit', () => {
  it('is streamed unchanged, in chunks and without trailers', async () => {
    const { core, port } = await start()
    const client = await openRawClient(port)
    const pieces = Array.from({ length: 200 }, (_, at) => `${at}-`.repeat(1 + ((at * 7) % 400)))
    client.send(chunked)
    for (const [at, piece] of pieces.entries()) {
      client.send(chunk(piece))
      if (at % 40 === 0) await sleep(5)
    }
    await until(() => core.requests.length === 1)
    client.send(`0\r\nX-Trailer: 1\r\n\r\n`)
    expect((await client.receiveResponse()).status).toBe(200)
    expect((await core.requests[0]?.body)?.toString()).toBe(pieces.join(''))
    const head = core.requests[0]?.head.toLowerCase()
    expect(head).toContain('transfer-encoding: chunked')
    expect(head).not.toContain('content-length')
    expect(core.received[0]?.toString().toLowerCase()).not.toContain('x-trailer')
    client.socket.destroy()
  })

  it('reserves memory for its buffered start until that is sent to the core', async () => {
    const { core, port, gateway } = await start({ uploadConnections: 1 })
    const [first, second] = [await openRawClient(port), await openRawClient(port)]
    first.send(chunked + chunk('a'.repeat(2000)))
    await until(() => core.requests.length === 1)
    await until(() => gateway.budget.usedBytes === 0)
    second.send(chunked + chunk('b'.repeat(900)))
    await until(() => gateway.budget.usedBytes >= 900)
    second.send(chunk('b'.repeat(900)))
    await sleep(50)
    expect(core.requests).toHaveLength(1)
    expect(gateway.budget.usedBytes).toBeGreaterThanOrEqual(900)
    first.send(lastChunk)
    await until(() => core.requests.length === 2 && gateway.budget.usedBytes === 0)
    second.send(lastChunk)
    expect((await second.receiveResponse()).status).toBe(200)
    expect((await core.requests[1]?.body)?.toString()).toBe('b'.repeat(1800))
    for (const { socket } of [first, second]) socket.destroy()
  })

  it('releases the memory of its buffered start if the request is rejected', async () => {
    const { core, port, gateway } = await start({ uploadConnections: 1, queueTimeoutMs: 100 })
    const first = await openRawClient(port)
    first.send(chunked + chunk('a'.repeat(2000)))
    await until(() => core.requests.length === 1 && gateway.budget.usedBytes === 0)
    const response = await sendRaw(port, chunked + chunk('b'.repeat(2000)))
    expect([response.status, JSON.parse(response.body)]).toEqual([503, errorBody('core_unavailable')])
    await until(() => gateway.budget.usedBytes === 0)
    first.socket.destroy()
  })

  it('arrives complete even if it was buffered behind an earlier request', async () => {
    const { core, port } = await start()
    const client = await openRawClient(port)
    const bodies = ['a'.repeat(3000), 'b'.repeat(5000)]
    client.send(bodies.map((body) => chunked + chunk(body) + lastChunk).join(''))
    for (const _ of bodies) expect((await client.receiveResponse()).status).toBe(200)
    const received = await Promise.all(core.requests.map(({ body }) => body))
    expect(received.map(String)).toEqual(bodies)
    client.socket.destroy()
  })

  it('stays incomplete at the core if its client disconnects', async () => {
    const { core, port } = await start()
    const client = await openRawClient(port)
    client.send(chunked + chunk('x'.repeat(2000)))
    await until(() => core.requests.length === 1)
    client.socket.destroy()
    await expect(core.requests[0]?.body).rejects.toThrow('the connection ended inside the body')
  })

  it('is rejected with 408 when its average rate since the start is too low', async () => {
    // At 3000 bytes per second, the 1100 bytes sent allow 367 ms, counted from the start of the body.
    const bodyProgress = progressLimits({ gracePeriodMs: 300, minBytesPerS: 3000 })
    const { core, port } = await start({ bodyProgress })
    const client = await openRawClient(port)
    client.send(chunked + chunk('x'.repeat(900)))
    await sleep(150)
    client.send(chunk('x'.repeat(200)))
    await until(() => core.requests.length === 1)
    expect((await client.receiveResponse()).status).toBe(408)
    client.socket.destroy()
  })
})

describe('clients that slowly send bodies', () => {
  it.each([
    ['of a known length', 'Content-Length: 100', 'x'],
    ['in chunks', 'Transfer-Encoding: chunked', chunk('x')],
  ])("%s do not delay another client's short upload", async (_, framing, piece) => {
    const { port } = await start({ uploadConnections: 2, connections: 2 })
    const slow: RawClient[] = await Promise.all(
      Array.from({ length: 290 }, async () => {
        const client = await openRawClient(port)
        client.send(head(framing) + piece)
        return client
      }),
    )
    const short = chunked + chunk('x'.repeat(100)) + lastChunk
    expect((await sendRaw(port, short, 'POST', '127.0.0.2')).status).toBe(200)
    expect(slow.filter((client) => client.text() !== '')).toEqual([])
    for (const { socket } of slow) socket.destroy()
  })
})
