import { describe, expect, it } from 'vitest'
import { get, openRawClient, post, sendRaw } from '#test/support/raw-client.ts'
import { bytes, type Reply, replyOk } from '#test/support/raw-core.ts'
import { startCoreAndGateway, until } from './forwarding-gateway.ts'
import { thenEnd, thenReset } from './misbehaving-core.ts'

describe('a 413 that the core sends before it has received the whole upload', () => {
  const tooLarge = 'HTTP/1.1 413 Payload Too Large\r\nContent-Length: 9\r\n\r\ntoo large'

  it.each([
    ['with a length', 'Content-Length: 50000000'],
    ['in chunks', 'Transfer-Encoding: chunked'],
    ['with a length and Connection: close', 'Content-Length: 50000000\r\nConnection: close'],
  ])('reaches a client that is still sending its body %s', async (kind, framing) => {
    const { port } = await startCoreAndGateway(bytes(tooLarge))
    const client = await openRawClient(port)
    client.send(`POST /v1/uploads HTTP/1.1\r\nHost: api.example\r\n${framing}\r\n\r\n`)
    const piece = 'x'.repeat(65_536)
    const sending = setInterval(() => client.send(kind === 'in chunks' ? `10000\r\n${piece}\r\n` : piece), 2)
    const response = await client.receiveResponse()
    await new Promise((resolve) => setTimeout(resolve, 50))
    clearInterval(sending)
    expect(response).toMatchObject({ status: 413, body: 'too large' })
    client.socket.destroy()
  })

  it.each([
    ['with a length', 'Content-Length: 30000000'],
    ['in chunks', 'Transfer-Encoding: chunked'],
  ])('reaches the client even if the core then hangs up at once: a body %s', async (kind, framing) => {
    const { port } = await startCoreAndGateway((socket) => {
      socket.pause()
      socket.write(tooLarge, () => socket.destroy())
    })
    for (let round = 0; round < 5; round += 1) {
      const client = await openRawClient(port)
      client.send(`POST /v1/uploads HTTP/1.1\r\nHost: api.example\r\n${framing}\r\n\r\n`)
      const piece = 'x'.repeat(1_000_000)
      for (let sent = 0; sent < 10; sent += 1)
        client.send(kind === 'in chunks' ? `f4240\r\n${piece}\r\n` : piece)
      expect(await client.receiveResponse()).toMatchObject({ status: 413, body: 'too large' })
      client.socket.destroy()
    }
  })

  it("leaves the client's connection usable once the client has sent the rest of its body", async () => {
    const { core, port } = await startCoreAndGateway(replyOk, { bodyLimit: 10 })
    core.nextReplies.push(bytes(tooLarge))
    const client = await openRawClient(port)
    client.send('POST /v1/uploads HTTP/1.1\r\nHost: api.example\r\nContent-Length: 200000\r\n\r\n')
    client.send('x'.repeat(100_000))
    expect((await client.receiveResponse()).status).toBe(413)
    client.send('x'.repeat(100_000) + get('/v1/tracks'))
    expect(await client.receiveResponse()).toMatchObject({ status: 200, body: 'ok' })
    client.socket.destroy()
  })
})

describe('when a connection breaks before the response, the gateway', () => {
  const resetsAtOnce = thenReset('')

  it('retries a GET that has no side effects', async () => {
    const { core, port } = await startCoreAndGateway(replyOk, { retryable: true })
    core.nextReplies.push(resetsAtOnce)
    expect((await sendRaw(port, get('/v1/tracks'))).status).toBe(200)
    expect(core.requests).toHaveLength(2)
  })

  it("delivers the retry's complete response even if it has no length", async () => {
    const { core, port } = await startCoreAndGateway(thenEnd('HTTP/1.0 200 OK\r\n\r\nwhole'), {
      retryable: true,
    })
    core.nextReplies.push(resetsAtOnce)
    expect(await sendRaw(port, get('/v1/tracks'))).toMatchObject({
      status: 200,
      body: 'whole',
      complete: true,
    })
  })

  it('retries on a new connection if the core resets every idle one', async () => {
    const idleConnections = 8
    const replies: (() => void)[] = []
    const isBroken = new WeakSet<object>()
    const breakIdleConnections: Reply = (socket, request) => {
      if (replies.length === idleConnections) {
        if (isBroken.has(socket)) socket.resetAndDestroy()
        else replyOk(socket, request)
        return
      }
      isBroken.add(socket)
      replies.push(() => replyOk(socket, request))
      if (replies.length === idleConnections) for (const reply of replies) reply()
    }
    const { core, port } = await startCoreAndGateway(breakIdleConnections, { retryable: true })
    const sendAll = (count: number) =>
      Promise.all(Array.from({ length: count }, async () => (await sendRaw(port, get('/v1/tracks'))).status))
    expect(await sendAll(idleConnections)).toEqual(Array(idleConnections).fill(200))
    expect(core.openConnections()).toBe(idleConnections)
    expect(await sendAll(1)).toEqual([200])
    expect(core.requests).toHaveLength(idleConnections + 2)
    expect(await sendAll(idleConnections - 1)).toEqual(Array(idleConnections - 1).fill(200))
  })

  it("closes the retry's connection after the response", async () => {
    const { core, port } = await startCoreAndGateway(replyOk, { retryable: true })
    core.nextReplies.push(resetsAtOnce)
    expect((await sendRaw(port, get('/v1/tracks'))).status).toBe(200)
    await until(() => core.openConnections() === 0)
  })

  it('retries a request only once', async () => {
    const { core, port } = await startCoreAndGateway(resetsAtOnce, { retryable: true })
    expect((await sendRaw(port, get('/v1/tracks'))).status).toBe(502)
    expect(core.requests).toHaveLength(2)
  })

  it('does not retry a request that is not retryable', async () => {
    const { core, port } = await startCoreAndGateway(resetsAtOnce)
    expect((await sendRaw(port, get('/v1/tracks'))).status).toBe(502)
    expect(core.requests).toHaveLength(1)
  })

  it('does not retry a request with a body', async () => {
    const { core, port } = await startCoreAndGateway(resetsAtOnce, { retryable: true })
    expect((await sendRaw(port, post('/v1/tracks', '{}'))).status).toBe(502)
    expect(core.requests).toHaveLength(1)
  })

  it('does not retry once the core has sent a byte', async () => {
    const { core, port } = await startCoreAndGateway(thenReset('H'), { retryable: true })
    expect((await sendRaw(port, get('/v1/tracks'))).status).toBe(502)
    expect(core.requests).toHaveLength(1)
  })
})
