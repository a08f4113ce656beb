import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { progressLimits } from '#test/support/progress-limits.ts'
import { get, openRawClient, post, sendRaw } from '#test/support/raw-client.ts'
import { bytes, type Reply, replyOk } from '#test/support/raw-core.ts'
import { startCoreAndGateway, until } from './forwarding-gateway.ts'

const megabyte = Buffer.alloc(1024 * 1024, 'x')

/** Writes as fast as the socket accepts data; the returned function counts the bytes. */
const pour = (socket: Socket, limit: number) => {
  let written = 0
  const more = () => {
    while (written < limit) {
      written += megabyte.length
      if (!socket.write(megabyte)) break
    }
  }
  socket.on('drain', more)
  more()
  return () => written
}

const upload = (framing: string) => `POST /v1/uploads HTTP/1.1\r\nHost: api.example\r\n${framing}\r\n\r\n`

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

  it('stops the core while the client does not read', async () => {
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
  ])('is aborted when the client reads nothing until the write-stall timeout and %s', async (_, sent) => {
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

describe('a client that pipelines requests while it reads slowly', () => {
  it('gets no more requests parsed each time it reads some of its response', async () => {
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
    // One read of the connection contains some thousand requests.
    expect(requests).toBeLessThan(10_000)
    client.socket.destroy()
  })
})

describe('a client that disconnects before the response', () => {
  it('aborts its request to the core', async () => {
    const { core, port, outcomes } = await startCoreAndGateway(() => {})
    const client = await openRawClient(port)
    client.send(get('/v1/tracks'))
    await until(() => core.requests.length === 1)
    client.socket.destroy()
    await until(() => core.openConnections() === 0)
    expect(outcomes).toEqual([{ kind: 'client-gone' }])
  })

  it('leaves the queue of its lane', async () => {
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

describe('a body of up to the limit', () => {
  it('uses no connection to the core before it is complete', async () => {
    const { core, port } = await startCoreAndGateway(replyOk, { bodyLimit: 1000 })
    const client = await openRawClient(port)
    client.send(`${upload('Content-Length: 10')}12345`)
    await sleep(50)
    expect(core.received).toHaveLength(0)
    client.send('67890')
    expect((await client.receiveResponse()).status).toBe(200)
    expect((await core.requests[0]?.body)?.toString()).toBe('1234567890')
    client.socket.destroy()
  })
})

describe('a body that is streamed', () => {
  it.each([
    ['of a known length', 'Content-Length: 12', 'one-two-tri-', 'content-length: 12'],
    [
      'of an unknown length',
      'Transfer-Encoding: chunked',
      '4\r\none-\r\n8\r\ntwo-tri-\r\n0\r\n\r\n',
      'transfer-encoding: chunked',
    ],
  ])('is sent to the core unchanged: %s', async (_, framing, body, framingHeader) => {
    const { core, port } = await startCoreAndGateway(
      (socket, request) => {
        request.body.then(() => replyOk(socket, request))
      },
      { bodyLimit: 5 },
    )
    const client = await openRawClient(port)
    client.send(upload(framing))
    client.send(body)
    expect((await client.receiveResponse()).status).toBe(200)
    expect((await core.requests[0]?.body)?.toString()).toBe('one-two-tri-')
    expect(core.requests[0]?.head).not.toContain('\r\nConnection')
    expect(core.received[0]?.toString()).toContain(framingHeader)
    client.socket.destroy()
  })

  it('may be empty and chunked', async () => {
    const { core, port } = await startCoreAndGateway()
    const response = await sendRaw(port, `${upload('Transfer-Encoding: chunked')}0\r\n\r\n`)
    expect(response.status).toBe(200)
    expect((await core.requests[0]?.body)?.length).toBe(0)
  })

  it('stops the client while the core does not read', async () => {
    const { port } = await startCoreAndGateway(
      (socket) => {
        socket.pause()
      },
      { timeoutMs: 60_000 },
    )
    const client = await openRawClient(port)
    client.send(upload('Content-Length: 1000000000'))
    const written = pour(client.socket, 1_000_000_000)
    await sleep(400)
    expect(written()).toBeLessThan(64 * megabyte.length)
    client.socket.destroy()
  })

  it('is incomplete for the core when the client disconnects', async () => {
    const { core, port } = await startCoreAndGateway(replyOk)
    core.nextReplies.push(() => {})
    const client = await openRawClient(port)
    client.send(`${upload('Transfer-Encoding: chunked')}4\r\npart\r\n`)
    await until(() => core.received[0]?.includes('part') === true)
    client.socket.destroy()
    await expect(core.requests[0]?.body).rejects.toThrow('the connection ended inside the body')
  })

  it('returns 408 when the client pauses for too long', async () => {
    const { core, port } = await startCoreAndGateway(() => {}, {
      bodyProgress: progressLimits({ pauseTimeoutMs: 150 }),
      timeoutMs: 5000,
    })
    const client = await openRawClient(port)
    client.send(`${upload('Content-Length: 1000000')}part`)
    const response = await client.receiveResponse()
    expect([response.status, JSON.parse(response.body)]).toEqual([408, { error: 'request_timeout' }])
    await until(() => core.openConnections() === 0)
    client.socket.destroy()
  })

  it('has no total timeout while it makes progress', async () => {
    const { port } = await startCoreAndGateway(
      (socket, request) => {
        request.body.then(() => replyOk(socket, request))
      },
      { bodyProgress: progressLimits({ pauseTimeoutMs: 300 }), timeoutMs: 200, bodyLimit: 5 },
    )
    const client = await openRawClient(port)
    client.send(upload('Content-Length: 10'))
    for (let piece = 0; piece < 10; piece++) {
      await sleep(60)
      client.send('x')
    }
    expect((await client.receiveResponse()).status).toBe(200)
    client.socket.destroy()
  })

  it('returns 504 when the core neither reads nor responds', async () => {
    const { port } = await startCoreAndGateway(
      (socket) => {
        socket.pause()
      },
      { bodyProgress: progressLimits({ pauseTimeoutMs: 200 }), timeoutMs: 200 },
    )
    const client = await openRawClient(port)
    client.send(upload('Content-Length: 1000000000'))
    pour(client.socket, 1_000_000_000)
    expect((await client.receiveResponse()).status).toBe(504)
    client.socket.destroy()
  })

  it('uses a separate share of the connections: uploads do not delay other requests', async () => {
    const { core, port } = await startCoreAndGateway(replyOk, { uploadConnections: 2, connections: 2 })
    const silent: Reply = () => {}
    core.nextReplies.push(silent, silent)
    const uploads = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const client = await openRawClient(port)
        client.send(`${upload('Transfer-Encoding: chunked')}4\r\npart\r\n`)
        return client
      }),
    )
    await until(() => core.requests.length === 2)
    await sleep(30)
    expect(core.requests).toHaveLength(2)
    expect((await sendRaw(port, get('/v1/tracks'))).status).toBe(200)
    expect((await sendRaw(port, post('/v1/tracks', '{}'))).status).toBe(200)
    for (const { socket } of uploads) socket.destroy()
  })

  it('is requested with 100 Continue only when it is about to be sent to the core', async () => {
    const { core, port } = await startCoreAndGateway((socket, request) => {
      request.body.then(() => replyOk(socket, request))
    })
    const client = await openRawClient(port)
    client.send(upload('Transfer-Encoding: chunked\r\nExpect: 100-continue'))
    await until(() => client.text() === 'HTTP/1.1 100 Continue\r\n\r\n')
    client.send('2\r\nhi\r\n0\r\n\r\n')
    expect((await client.receiveResponse()).status).toBe(200)
    expect(core.requests[0]?.head.toLowerCase()).not.toContain('expect')
    client.socket.destroy()
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
