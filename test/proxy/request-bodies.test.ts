import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { progressLimits } from '#test/support/progress-limits.ts'
import { get, openRawClient, post, sendRaw } from '#test/support/raw-client.ts'
import { type Reply, replyOk } from '#test/support/raw-core.ts'
import { megabyte, pour, startCoreAndGateway, until } from './forwarding-gateway.ts'

const upload = (framing: string) => `POST /v1/uploads HTTP/1.1\r\nHost: api.example\r\n${framing}\r\n\r\n`

describe('a body within the limit', () => {
  it('uses no connection to the core before it has arrived completely', async () => {
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

describe('a streamed body', () => {
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

  it('is accepted if it is chunked and empty', async () => {
    const { core, port } = await startCoreAndGateway()
    const response = await sendRaw(port, `${upload('Transfer-Encoding: chunked')}0\r\n\r\n`)
    expect(response.status).toBe(200)
    expect((await core.requests[0]?.body)?.length).toBe(0)
  })

  it('is paused while the core does not read', async () => {
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

  it('stays incomplete at the core if the client disconnects', async () => {
    const { core, port } = await startCoreAndGateway(replyOk)
    core.nextReplies.push(() => {})
    const client = await openRawClient(port)
    client.send(`${upload('Content-Length: 100000')}part`)
    await until(() => core.received[0]?.includes('part') === true)
    client.socket.destroy()
    await expect(core.requests[0]?.body).rejects.toThrow('the connection ended inside the body')
  })

  it('is rejected with 408 when the client pauses for too long', async () => {
    const { core, port } = await startCoreAndGateway(() => {}, {
      bodyProgress: progressLimits({ pauseTimeoutMs: 150 }),
      timeoutMs: 5000,
    })
    const client = await openRawClient(port)
    client.send(`${upload('Content-Length: 1000000')}part`)
    const response = await client.receiveResponse()
    expect([response.status, JSON.parse(response.body)]).toEqual([408, errorBody('request_timeout')])
    await until(() => core.openConnections() === 0)
    client.socket.destroy()
  })

  it('has no overall timeout while it makes progress', async () => {
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

  it('fails with 504 when the core neither reads nor responds', async () => {
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

  it('uses separate connections, so uploads do not delay other requests', async () => {
    const { core, port } = await startCoreAndGateway(replyOk, { uploadConnections: 4, connections: 2 })
    const silent: Reply = () => {}
    core.nextReplies.push(silent, silent)
    const uploads = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const client = await openRawClient(port)
        client.send(`${upload('Content-Length: 100000')}part`)
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
    const { core, port } = await startCoreAndGateway(
      (socket, request) => {
        request.body.then(() => replyOk(socket, request))
      },
      { bodyLimit: 1, uploadConnections: 1 },
    )
    const first = await openRawClient(port)
    first.send(`${upload('Content-Length: 2')}h`)
    await until(() => core.requests.length === 1)
    const client = await openRawClient(port)
    client.send(upload('Content-Length: 2\r\nExpect: 100-continue'))
    await sleep(50)
    expect(client.text()).toBe('')
    first.send('i')
    await until(() => client.text() === 'HTTP/1.1 100 Continue\r\n\r\n')
    client.send('hi')
    expect((await client.receiveResponse()).status).toBe(200)
    expect(core.requests[1]?.head.toLowerCase()).not.toContain('expect')
    client.socket.destroy()
    first.socket.destroy()
  })
})
