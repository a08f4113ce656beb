import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { get, openRawClient, sendRaw } from '#test/support/raw-client.ts'
import { bytes, replyOk } from '#test/support/raw-core.ts'
import { megabyte, pour, startCoreAndGateway, until } from './forwarding-gateway.ts'

describe('a streamed response', () => {
  it('starts before the core has sent all of it', async () => {
    let core: Socket | undefined
    const { port } = await startCoreAndGateway((socket) => {
      core = socket
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n')
    })
    const client = await openRawClient(port)
    client.send(get('/v1/events'))
    await until(() => client.text().includes('\r\n\r\n'))
    core?.write('4\r\none!\r\n')
    await until(() => client.text().includes('one!'))
    core?.write('4\r\ntwo!\r\n0\r\n\r\n')
    expect((await client.receiveResponse()).body).toBe('one!two!')
    client.socket.destroy()
  })

  it('pauses the core while the client does not read', async () => {
    const total = 64 * megabyte.length
    let written = () => 0
    const { port } = await startCoreAndGateway((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`)
      written = pour(socket, total)
    })
    const client = await openRawClient(port)
    client.socket.pause()
    client.send(get('/v1/tracks'))
    await sleep(300)
    expect(written()).toBeLessThan(total / 2)
    let received = 0
    client.socket.removeAllListeners('data').on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    client.socket.resume()
    await until(() => received > total)
    client.socket.destroy()
  })

  it('closes the connection to the core when the client disconnects', async () => {
    const { core, port, outcomes } = await startCoreAndGateway((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n')
    })
    const client = await openRawClient(port)
    client.send(get('/v1/tracks'))
    await until(() => client.text().includes('part'))
    client.socket.destroy()
    await until(() => core.openConnections() === 0)
    expect(outcomes).toEqual([{ kind: 'client-gone' }])
  })

  it.each([
    ['sends nothing', ''],
    ['keeps sending', '\r\n'],
  ])('is aborted after the write-stall timeout if the client reads nothing and %s', async (_, sent) => {
    const { core, port } = await startCoreAndGateway(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n')
        pour(socket, 1_000_000_000)
      },
      { responseStallTimeoutMs: 200, timeoutMs: 100 },
    )
    const client = await openRawClient(port)
    client.socket.pause()
    client.send(get('/v1/tracks'))
    await until(() => core.requests.length === 1)
    const sending = setInterval(() => client.socket.write(sent), 50)
    await until(() => core.openConnections() === 0)
    clearInterval(sending)
    client.socket.destroy()
  })
})

describe('a client that pipelines requests', () => {
  it('has less than a sixth of them parsed while it reads a response slowly', async () => {
    const { gateway, port } = await startCoreAndGateway((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 200000000\r\n\r\n')
      pour(socket, 200_000_000)
    })
    let requests = 0
    gateway.edge.server.on('request', () => {
      requests += 1
    })
    const client = await openRawClient(port)
    client.socket.pause()
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(60_000))
    await until(() => requests > 0)
    for (let round = 0; round < 15; round++) {
      client.socket.resume()
      await sleep(20)
      client.socket.pause()
      await sleep(20)
    }
    // One read from the connection contains a thousand or more requests.
    expect(requests).toBeLessThan(10_000)
    client.socket.destroy()
  })
})

describe('when a client disconnects before the response', () => {
  it('its request to the core is aborted', async () => {
    const { core, port, outcomes } = await startCoreAndGateway(() => {})
    const client = await openRawClient(port)
    client.send(get('/v1/tracks'))
    await until(() => core.requests.length === 1)
    client.socket.destroy()
    await until(() => core.openConnections() === 0)
    expect(outcomes).toEqual([{ kind: 'client-gone' }])
  })

  it('its queued request is removed', async () => {
    const { core, port } = await startCoreAndGateway(
      (socket, request) => {
        setTimeout(() => replyOk(socket, request), 250)
      },
      { connections: 1 },
    )
    const first = sendRaw(port, get('/v1/first'))
    await until(() => core.requests.length === 1)
    const second = await openRawClient(port)
    second.send(get('/v1/second'))
    await sleep(10)
    second.socket.destroy()
    const third = sendRaw(port, get('/v1/third'))
    await Promise.all([first, third])
    expect(core.requests.map(({ target }) => target)).toEqual(['/v1/first', '/v1/third'])
  })
})

describe('200 concurrent clients', () => {
  it('are served over at most 8 connections to the core', async () => {
    const { core, port } = await startCoreAndGateway(
      (socket, { target }) => {
        setTimeout(
          () =>
            bytes(`HTTP/1.1 200 OK\r\nContent-Length: ${target.length}\r\n\r\n${target}`)(
              socket,
              core.requests[0]!,
            ),
          1,
        )
      },
      { connections: 8 },
    )
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, at) => sendRaw(port, get(`/v1/${at}`))),
    )
    expect(responses.map(({ body }) => body)).toEqual(Array.from({ length: 200 }, (_, at) => `/v1/${at}`))
    expect(core.received.length).toBeLessThanOrEqual(8)
  })
})
