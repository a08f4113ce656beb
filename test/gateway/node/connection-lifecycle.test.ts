import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { get, openRawClient, post, sendRaw } from '#test/support/raw-client.ts'
import { startEdge } from './start-edge.ts'

describe('graceful shutdown', () => {
  it('serves every request of clients that keep sending while the server drains', async () => {
    const { edge, port } = await startEdge({
      onRequest: (_incoming, outgoing) => {
        setTimeout(() => outgoing.writeHead(200, ['content-length', '2']).end('ok'), 5)
      },
    })
    let stopped = false
    let served = 0
    const runClient = async () => {
      let client = await openRawClient(port)
      while (!stopped) {
        client.send(get('/'))
        const response = await client.receiveResponse()
        expect(response.body).toBe('ok')
        served += 1
        if (response.header('connection') !== 'close') continue
        client.socket.destroy()
        if (!stopped) client = await openRawClient(port)
      }
      client.socket.destroy()
    }
    const clients = Array.from({ length: 8 }, runClient)
    await expect.poll(() => served, { timeout: 10_000 }).toBeGreaterThanOrEqual(clients.length)
    edge.drain()
    const servedBefore = served
    await expect.poll(() => served - servedBefore, { timeout: 10_000 }).toBeGreaterThan(3 * clients.length)
    stopped = true
    await Promise.all(clients)
    await edge.close(1000)
  })

  it('closes connections as they become idle and waits for active requests', async () => {
    const { edge, port } = await startEdge({
      onRequest: (_incoming, outgoing) => {
        setTimeout(() => outgoing.writeHead(200, ['content-length', '2']).end('ok'), 100)
      },
    })
    const idle = await openRawClient(port)
    idle.send(get('/'))
    await idle.receiveResponse()
    const busy = await openRawClient(port)
    busy.send(get('/'))
    await sleep(20)
    const closed = edge.close(5000)
    await idle.waitForClose()
    expect((await busy.receiveResponse()).body).toBe('ok')
    await closed
  })

  it('waits for clients that are still reading a response that has ended', async () => {
    const body = Buffer.alloc(16 * 1024 * 1024, 'x')
    const ended = Promise.withResolvers<void>()
    const { edge, port } = await startEdge({
      onRequest: (_incoming, outgoing) => {
        outgoing.end(body)
        ended.resolve()
      },
    })
    const client = await openRawClient(port)
    client.socket.pause()
    client.send(get('/'))
    await ended.promise
    const closed = edge.close(10_000)
    // Idle connections are closed several times in this period.
    await sleep(300)
    client.socket.resume()
    const [, received] = (await client.waitForClose()).split('\r\n\r\n')
    expect(received).toHaveLength(body.length)
    await closed
  })

  it('closes connections that are still active after the grace period', async () => {
    const { edge, port } = await startEdge({ onRequest: () => {} })
    const client = await openRawClient(port)
    client.send(get('/'))
    await sleep(20)
    await edge.close(50)
    await client.waitForClose()
  })

  it('closes them even if a CONNECT follows the active request', async () => {
    const { edge, port, rejections } = await startEdge({ onRequest: () => {} })
    const client = await openRawClient(port)
    client.send(`${get('/')}CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n`)
    await expect.poll(() => rejections).toHaveLength(1)
    await edge.close(50)
    await client.waitForClose()
  })
})

describe('a stalled connection', () => {
  it('is closed when the client stops reading a response that the server has finished', async () => {
    const closed = Promise.withResolvers<void>()
    const { port } = await startEdge({
      responseStallTimeoutMs: 150,
      onRequest: (_incoming, outgoing) => {
        outgoing.once('close', closed.resolve)
        outgoing.end(Buffer.alloc(32 * 1024 * 1024))
      },
    })
    const client = await openRawClient(port)
    client.socket.pause()
    client.send(get('/'))
    await closed.promise
    client.socket.destroy()
  })

  it.each([
    ['', 'GET / HTTP/1.0\r\n\r\n'],
    [' before a CONNECT', `${get('/')}CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n`],
  ])(
    'is reset when the client stops reading a response that the server has not finished%s',
    async (_, requests) => {
      const { port } = await startEdge({
        responseStallTimeoutMs: 150,
        onRequest: (_incoming, outgoing) => {
          outgoing.write(Buffer.alloc(32 * 1024 * 1024))
        },
      })
      const { socket } = await openRawClient(port)
      const failed = new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve))
      socket.pause()
      socket.write(requests)
      await sleep(600)
      socket.resume()
      expect((await failed).code).toBe('ECONNRESET')
    },
  )
})

describe('an idle connection', () => {
  it('stays open after a response that the client was slow to read', async () => {
    const body = Buffer.alloc(16 * 1024 * 1024, 'x')
    // The test does not wait this long. It only checks whether a timer that would end the connection is set.
    const stallMs = 60_000
    let served: Socket | undefined
    const { port } = await startEdge({
      responseStallTimeoutMs: stallMs,
      keepAliveTimeoutMs: 6000,
      onRequest: ({ url, socket }, outgoing) => {
        served = socket
        outgoing.end(url === '/long' ? body : 'short')
      },
    })
    const client = await openRawClient(port)
    client.socket.pause()
    client.send(get('/long'))
    await expect.poll(() => served?.timeout, { timeout: 10_000 }).toBe(stallMs)
    client.socket.resume()
    await expect.poll(() => client.text().length, { timeout: 20_000 }).toBeGreaterThan(body.length)
    await client.receiveResponse()
    await expect.poll(() => served?.timeout, { timeout: 10_000 }).toBe(0)
    client.send(get('/'))
    expect((await client.receiveResponse()).status).toBe(200)
    client.socket.destroy()
  })

  it('stays open while the client sends requests', async () => {
    const { port } = await startEdge({ keepAliveTimeoutMs: 50 })
    const client = await openRawClient(port)
    const startedAt = performance.now()
    // Node adds a second to the timeout.
    while (performance.now() - startedAt < 1500) {
      client.send(get('/'))
      expect((await client.receiveResponse()).status).toBe(200)
      await sleep(200)
    }
    client.socket.destroy()
  })

  it('stays open while the response is being produced', async () => {
    const { port } = await startEdge({
      responseStallTimeoutMs: 50,
      onRequest: (_incoming, outgoing) => {
        setTimeout(() => outgoing.end('late'), 250)
      },
    })
    expect((await sendRaw(port, get('/'))).body).toBe('late')
  })

  it('is closed after the keep-alive timeout', async () => {
    const { port } = await startEdge({ keepAliveTimeoutMs: 50 })
    const client = await openRawClient(port)
    client.send(get('/'))
    await client.receiveResponse()
    await client.waitForClose()
  })
})

describe('an early error response', () => {
  it('closes the connection immediately if no body follows, even if the client does not close it', async () => {
    const { port } = await startEdge()
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const ended = once(socket, 'end')
    const startedAt = performance.now()
    socket.resume()
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nX-HTTP-Method-Override: DELETE\r\nConnection: close\r\n\r\n')
    await ended
    const failed = once(socket, 'error')
    const writing = setInterval(() => socket.write('x'), 10)
    await failed
    clearInterval(writing)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  it('reaches the client before the connection is closed', async () => {
    const { port } = await startEdge({
      onRequest: (_incoming, outgoing) => outgoing.writeHead(413).end('no'),
    })
    const client = await openRawClient(port)
    client.send(post('/', '', 'Connection: close').replace('Content-Length: 0', 'Content-Length: 90000000'))
    const sending = setInterval(() => client.send('x'.repeat(65_536)), 1)
    expect(await client.receiveResponse()).toMatchObject({ status: 413 })
    await sleep(50)
    clearInterval(sending)
    expect(client.socket.errored).toBeNull()
    client.socket.destroy()
  })
})
