import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import { createEdgeServer, type EdgeServerOptions } from '#gateway/node/http-server.ts'
import { get, openRawClient, post, type RawClient } from '#test/support/raw-client.ts'

const startEdge = async (options: Pick<EdgeServerOptions, 'onRequest'> & Partial<EdgeServerOptions>) => {
  const edge = createEdgeServer({
    onRejected: () => {},
    bodyBudget: createBodyBudget(10_000_000),
    ...options,
  })
  const port = await edge.listen(0, '127.0.0.1')
  onTestFinished(() => edge.close(0))
  return { edge, client: await openRawClient(port) }
}

describe('pipelined requests', () => {
  it('are served in order, one at a time', async () => {
    const steps: string[] = []
    const { client } = await startEdge({
      onRequest: async (_incoming, outgoing, { target }) => {
        steps.push(`begin ${target.path}`)
        await sleep(10)
        steps.push(`end ${target.path}`)
        outgoing.end('ok')
      },
    })
    client.send(get('/a') + get('/b') + get('/c'))
    for (let index = 0; index < 3; index++) await client.receiveResponse()
    expect(steps).toEqual(['begin /a', 'end /a', 'begin /b', 'end /b', 'begin /c', 'end /c'])
    client.socket.destroy()
  })

  it('get long responses in full before a CONNECT that follows them is rejected', async () => {
    const chunks = Array.from({ length: 4 }, () => Buffer.alloc(1024 * 1024, 'x'))
    const { client } = await startEdge({
      onRequest: (_incoming, outgoing) => {
        outgoing.writeHead(200, ['content-length', String(4 * 1024 * 1024)])
        void pipeline(Readable.from(chunks), outgoing)
      },
    })
    client.send(`${get('/a') + get('/b')}CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n`)
    for (let index = 0; index < 2; index++) expect((await client.receiveResponse()).complete).toBe(true)
    expect((await client.receiveResponse()).status).toBe(405)
    await client.waitForClose()
  })

  it('are read only up to a limit while an earlier one is being served', async () => {
    let served = 0
    const { client } = await startEdge({
      onRequest: (_incoming, outgoing) => {
        served += 1
        if (served <= 100) outgoing.end('ok')
      },
    })
    const batch = get('/v1/tracks').repeat(1000)
    let sent = 0
    const push = () => {
      while (sent < 500 && client.socket.write(batch)) sent += 1
    }
    client.socket.on('drain', push)
    push()
    await expect.poll(() => served, { timeout: 10_000 }).toBe(101)
    await sleep(500)
    expect([served, sent < 500]).toEqual([101, true])
    client.socket.destroy()
  })

  it('count against the memory budget until they are parsed', async () => {
    const bodyBudget = createBodyBudget(400_000)
    const released = Promise.withResolvers<void>()
    const { client } = await startEdge({
      bodyBudget,
      onRequest: async (_incoming, outgoing) => {
        await released.promise
        outgoing.end('ok')
      },
    })
    const port = Number(client.socket.remotePort)
    const others = await Promise.all(Array.from({ length: 9 }, () => openRawClient(port)))
    const clients = [client, ...others]
    const message = get('/a', `X-Padding: ${'x'.repeat(1000)}`).repeat(60)
    for (const each of clients) each.send(message)
    const isOpen = ({ socket }: RawClient) => !socket.destroyed && !socket.readableEnded
    await expect.poll(() => clients.filter(isOpen).length, { timeout: 5000 }).toBeLessThan(6)
    expect(clients.filter(isOpen).length).toBeGreaterThan(2)
    expect(bodyBudget.usedBytes).toBeGreaterThan(100_000)
    expect(bodyBudget.usedBytes).toBeLessThan(300_000)
    released.resolve()
    await expect.poll(() => bodyBudget.usedBytes, { timeout: 5000 }).toBe(0)
    expect((await client.receiveResponse()).status).toBe(200)
    for (const { socket } of clients) socket.destroy()
  })

  it('are not read ahead if they have bodies, because the body budget would not count them', async () => {
    const { client, edge } = await startEdge({ onRequest: () => {} })
    let received = 0
    edge.server.on('request', () => {
      received += 1
    })
    const body = 'x'.repeat(60_000)
    for (let sent = 0; sent < 16; sent++) client.send(post('/v1/tracks', sent === 0 ? '' : body))
    await expect.poll(() => received, { timeout: 5000 }).toBeGreaterThan(1)
    await sleep(200)
    // One read may contain the end of one body and the start of the next request.
    expect(received).toBeLessThan(5)
    client.socket.destroy()
  })

  it('are all served, each with its complete body', async () => {
    const lengths: number[] = []
    const { client } = await startEdge({
      onRequest: async (incoming, outgoing) => {
        let length = 0
        for await (const chunk of incoming) length += chunk.length
        lengths.push(length)
        outgoing.end('ok')
      },
    })
    const body = 'x'.repeat(60_000)
    client.send(get('/a') + post('/b', body).repeat(15) + get('/c'))
    for (let index = 0; index < 17; index++) await client.receiveResponse()
    expect(lengths).toEqual([0, ...Array.from({ length: 15 }, () => 60_000), 0])
    client.socket.destroy()
  })

  it('are dropped after the first one when the server drains', async () => {
    const paths: string[] = []
    const { client, edge } = await startEdge({
      onRequest: (_incoming, outgoing, { target }) => {
        paths.push(target.path)
        setTimeout(() => outgoing.end('ok'), 10)
      },
    })
    edge.drain()
    client.send(get('/a') + get('/b'))
    expect((await client.receiveResponse()).header('connection')).toBe('close')
    await client.waitForClose()
    expect(paths).toEqual(['/a'])
  })

  it('do not keep a connection open if the client stops reading', async () => {
    const closed = Promise.withResolvers<void>()
    const { client } = await startEdge({
      responseStallTimeoutMs: 150,
      onRequest: (_incoming, outgoing) => {
        outgoing.once('close', closed.resolve)
        outgoing.end(Buffer.alloc(32 * 1024 * 1024))
      },
    })
    client.socket.pause()
    client.send(get('/a') + get('/b'))
    await closed.promise
    client.socket.destroy()
  })
})
