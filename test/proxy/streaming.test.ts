import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { progressLimits } from '#test/support/progress-limits.ts'
import { get, openRawClient, post, sendRaw } from '#test/support/raw-client.ts'
import { bytes, ok, type Reply } from '#test/support/raw-core.ts'
import { coreBehindGateway, until } from './forwarding-gateway.ts'

const megabyte = Buffer.alloc(1024 * 1024, 'x')

/** Writes as fast as it may and tells how much it got rid of. */
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

describe('an answer on its way to the client', () => {
  it('starts before the core has finished it', async () => {
    let core: Socket | undefined
    const { port } = await coreBehindGateway((socket) => {
      core = socket
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n')
    })
    const client = await openRawClient(port)
    client.send(get('/v1/events'))
    await until(() => client.text().includes('\r\n\r\n'))
    core?.write('4\r\none!\r\n')
    await until(() => client.text().includes('one!'))
    core?.write('4\r\ntwo!\r\n0\r\n\r\n')
    expect((await client.answer()).body).toBe('one!two!')
    client.socket.destroy()
  })

  it('waits in the core while the client does not read', async () => {
    const total = 64 * megabyte.length
    let written = () => 0
    const { port } = await coreBehindGateway((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`)
      written = pour(socket, total)
    })
    const client = await openRawClient(port)
    client.socket.pause()
    client.send(get('/v1/tracks'))
    await sleep(300)
    const stuck = written()
    expect(stuck).toBeLessThan(total / 2)
    let received = 0
    client.socket.removeAllListeners('data').on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    client.socket.resume()
    await until(() => received > total)
    client.socket.destroy()
  })

  it('ends with the client: the core is not left to send into the void', async () => {
    const { core, port, outcomes } = await coreBehindGateway((socket) => {
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
    ['says nothing', ''],
    ['goes on sending', '\r\n'],
  ])('is given up when the client takes none of it for long and %s', async (_, sent) => {
    const { core, port } = await coreBehindGateway(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n')
        pour(socket, 1_000_000_000)
      },
      { answerStallMs: 200, timeoutMs: 100 },
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

describe('a client that sends ahead while it reads slowly', () => {
  it('has no more requests read than before, however often it takes some of its answer', async () => {
    const { gateway, port } = await coreBehindGateway((socket) => {
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
    for (let turn = 0; turn < 15; turn++) {
      client.socket.resume()
      await sleep(20)
      client.socket.pause()
      await sleep(20)
    }
    // One read of the connection brings some thousand of them.
    expect(requests).toBeLessThan(10_000)
    client.socket.destroy()
  })
})

describe('a client that hangs up before the answer', () => {
  it('takes its request to the core with it', async () => {
    const { core, port, outcomes } = await coreBehindGateway(() => {})
    const client = await openRawClient(port)
    client.send(get('/v1/tracks'))
    await until(() => core.requests.length === 1)
    client.socket.destroy()
    await until(() => core.openConnections() === 0)
    expect(outcomes).toEqual([{ kind: 'client-gone' }])
  })

  it('leaves its place in the queue', async () => {
    const { core, port } = await coreBehindGateway(
      (socket, request) => {
        setTimeout(() => ok(socket, request), 250)
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
  it('takes no connection to the core before it is whole', async () => {
    const { core, port } = await coreBehindGateway(ok, { bodyLimit: 1000 })
    const client = await openRawClient(port)
    client.send(`${upload('Content-Length: 10')}12345`)
    await sleep(50)
    expect(core.received).toHaveLength(0)
    client.send('67890')
    expect((await client.answer()).status).toBe(200)
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
  ])('reaches the core as it was: %s', async (_, framing, body, announced) => {
    const { core, port } = await coreBehindGateway(
      (socket, request) => {
        request.body.then(() => ok(socket, request))
      },
      { bodyLimit: 5 },
    )
    const client = await openRawClient(port)
    client.send(upload(framing))
    client.send(body)
    expect((await client.answer()).status).toBe(200)
    expect((await core.requests[0]?.body)?.toString()).toBe('one-two-tri-')
    expect(core.requests[0]?.head).not.toContain('\r\nConnection')
    expect(core.received[0]?.toString()).toContain(announced)
    client.socket.destroy()
  })

  it('may be empty in chunks', async () => {
    const { core, port } = await coreBehindGateway()
    const answer = await sendRaw(port, `${upload('Transfer-Encoding: chunked')}0\r\n\r\n`)
    expect(answer.status).toBe(200)
    expect((await core.requests[0]?.body)?.length).toBe(0)
  })

  it('waits in the client while the core does not read', async () => {
    const { port } = await coreBehindGateway(
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

  it('is never ended cleanly when the client breaks off', async () => {
    const { core, port } = await coreBehindGateway(ok)
    core.next.push(() => {})
    const client = await openRawClient(port)
    client.send(`${upload('Transfer-Encoding: chunked')}4\r\npart\r\n`)
    await until(() => core.received[0]?.includes('part') === true)
    client.socket.destroy()
    await expect(core.requests[0]?.body).rejects.toThrow('the connection ended inside the body')
  })

  it('is refused with 408 when the client pauses for long', async () => {
    const { core, port } = await coreBehindGateway(() => {}, {
      bodyProgress: progressLimits({ pauseTimeoutMs: 150 }),
      timeoutMs: 5000,
    })
    const client = await openRawClient(port)
    client.send(`${upload('Content-Length: 1000000')}part`)
    const answer = await client.answer()
    expect([answer.status, JSON.parse(answer.body)]).toEqual([408, { error: 'request_timeout' }])
    await until(() => core.openConnections() === 0)
    client.socket.destroy()
  })

  it('takes as long as it keeps moving', async () => {
    const { port } = await coreBehindGateway(
      (socket, request) => {
        request.body.then(() => ok(socket, request))
      },
      { bodyProgress: progressLimits({ pauseTimeoutMs: 300 }), timeoutMs: 200, bodyLimit: 5 },
    )
    const client = await openRawClient(port)
    client.send(upload('Content-Length: 10'))
    for (let piece = 0; piece < 10; piece++) {
      await sleep(60)
      client.send('x')
    }
    expect((await client.answer()).status).toBe(200)
    client.socket.destroy()
  })

  it('is answered with 504 when the core neither reads nor answers', async () => {
    const { port } = await coreBehindGateway(
      (socket) => {
        socket.pause()
      },
      { bodyProgress: progressLimits({ pauseTimeoutMs: 200 }), timeoutMs: 200 },
    )
    const client = await openRawClient(port)
    client.send(upload('Content-Length: 1000000000'))
    pour(client.socket, 1_000_000_000)
    expect((await client.answer()).status).toBe(504)
    client.socket.destroy()
  })

  it('has a share of the connections of its own: uploads do not hold back other requests', async () => {
    const { core, port } = await coreBehindGateway(ok, { uploadConnections: 2, connections: 2 })
    const silent: Reply = () => {}
    core.next.push(silent, silent)
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

  it('is asked for only when the core is about to get it', async () => {
    const { core, port } = await coreBehindGateway((socket, request) => {
      request.body.then(() => ok(socket, request))
    })
    const client = await openRawClient(port)
    client.send(upload('Transfer-Encoding: chunked\r\nExpect: 100-continue'))
    await until(() => client.text() === 'HTTP/1.1 100 Continue\r\n\r\n')
    client.send('2\r\nhi\r\n0\r\n\r\n')
    expect((await client.answer()).status).toBe(200)
    expect(core.requests[0]?.head.toLowerCase()).not.toContain('expect')
    client.socket.destroy()
  })
})

describe('a gateway under load', () => {
  it('serves many clients at once over few connections', async () => {
    const { core, port } = await coreBehindGateway(
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
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => sendRaw(port, get(`/v1/${at}`))))
    expect(answers.map(({ body }) => body)).toEqual(Array.from({ length: 200 }, (_, at) => `/v1/${at}`))
    expect(core.received.length).toBeLessThanOrEqual(8)
  })
})
