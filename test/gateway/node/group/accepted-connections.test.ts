import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import { createEdgeServer, type EdgeServerOptions } from '#gateway/node/http-server.ts'
import { get, openRawClient } from '#test/support/raw-client.ts'

/** An edge server that does not listen: another server accepts its connections, as the supervisor does. */
const startPassedEdge = async (options: Partial<EdgeServerOptions> = {}) => {
  const edge = createEdgeServer({
    onRequest: (_incoming, outgoing) => void outgoing.writeHead(200, ['content-length', '2']).end('ok'),
    onRejected: () => {},
    bodyBudget: createBodyBudget(10_000_000),
    ...options,
  })
  const acceptor = createServer(edge.accept)
  await new Promise<void>((resolve) => acceptor.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    acceptor.close()
    await edge.close(0)
  })
  const address = acceptor.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { edge, port: address.port }
}

describe('a connection that another process has accepted', () => {
  it('is served for several requests', async () => {
    const { port } = await startPassedEdge()
    const client = await openRawClient(port)
    for (let count = 0; count < 3; count++) {
      client.send(get('/'))
      expect(await client.receiveResponse()).toMatchObject({ status: 200, body: 'ok' })
    }
    client.socket.destroy()
  })

  it('is closed if the head of a request does not arrive in time', async () => {
    const { port } = await startPassedEdge({ headersTimeoutMs: 200 })
    const client = await openRawClient(port)
    client.send('GET / HTTP/1.1\r\nHost: ')
    expect(await client.waitForClose()).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('is closed at shutdown once its request is completed', async () => {
    const held: (() => void)[] = []
    const { edge, port } = await startPassedEdge({
      onRequest: (_incoming, outgoing) => {
        held.push(() => void outgoing.writeHead(200, ['content-length', '2']).end('ok'))
      },
    })
    const client = await openRawClient(port)
    client.send(get('/'))
    await expect.poll(() => held.length).toBe(1)
    let isClosed = false
    const closed = edge.close(20_000).then(() => {
      isClosed = true
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(isClosed).toBe(false)
    held[0]?.()
    expect((await client.receiveResponse()).body).toBe('ok')
    await closed
  })

  it('is closed at the end of the drain timeout', async () => {
    const { edge, port } = await startPassedEdge({ onRequest: () => {} })
    const client = await openRawClient(port)
    client.send(get('/'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await edge.close(100)
    expect(await client.waitForClose()).toBe('')
  })

  it('is reset if the server has closed meanwhile', async () => {
    const { edge, port } = await startPassedEdge()
    await edge.close(0)
    const socket = connect(port, '127.0.0.1')
    const [error] = await once(socket, 'error')
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  })
})
