import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { progressLimits } from '#test/support/progress-limits.ts'
import { openRawClient } from '#test/support/raw-client.ts'
import { startCoreAndGateway, startForwardingGateway, until } from './forwarding-gateway.ts'

const uploadHead = (length: number) =>
  `POST /v1/uploads HTTP/1.1\r\nHost: api.example\r\nContent-Length: ${length}\r\n\r\n`

const uploadLength = 16 * 1024 * 1024

/** Starts a gateway in front of a core that responds once it has read `length` bytes of an upload. */
const startPausingCore = async (
  options: Parameters<typeof startForwardingGateway>[1],
  onConnection: (socket: Socket) => void,
  length = uploadLength,
) => {
  const core = createServer((socket) => {
    let receivedBytes = 0
    socket.on('data', (chunk) => {
      receivedBytes += chunk.length
      if (receivedBytes > length) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => core.listen(0, '127.0.0.1', resolve))
  const address = core.address()
  const coreUrl = `http://127.0.0.1:${typeof address === 'object' && address?.port}`
  const gateway = await startForwardingGateway(coreUrl, options)
  onTestFinished(async () => {
    await gateway.close()
    core.close()
  })
  return gateway
}

describe('an upload to the core', () => {
  it('is rejected with 408 when it makes progress but its average rate is too low', async () => {
    const { core, port } = await startCoreAndGateway(() => {}, {
      bodyProgress: progressLimits({ gracePeriodMs: 150, minBytesPerS: 1000 }),
    })
    const client = await openRawClient(port)
    client.send(uploadHead(1_000_000))
    const dripping = setInterval(() => client.send('x'), 20)
    const response = await client.receiveResponse()
    clearInterval(dripping)
    expect([response.status, JSON.parse(response.body)]).toEqual([408, errorBody('request_timeout')])
    await until(() => core.openConnections() === 0)
    client.socket.destroy()
  })

  it('is rejected with 408 when no byte arrives within the grace period', async () => {
    const { port } = await startCoreAndGateway(() => {}, {
      bodyProgress: progressLimits({ gracePeriodMs: 100 }),
    })
    const client = await openRawClient(port)
    client.send(uploadHead(1_000_000))
    expect((await client.receiveResponse()).status).toBe(408)
    client.socket.destroy()
  })

  it('is not rejected for time during which the core did not read', async () => {
    // No upload reaches this rate, so the client has only the grace period of one second. The core's pause alone takes
    // two seconds.
    const bodyProgress = progressLimits({ gracePeriodMs: 1000, minBytesPerS: 1e12 })
    const { port } = await startPausingCore({ bodyProgress }, (socket) => {
      socket.pause()
      setTimeout(() => socket.resume(), 2000)
    })
    const client = await openRawClient(port)
    client.send(uploadHead(uploadLength))
    client.socket.write(Buffer.alloc(uploadLength, 'x'))
    expect((await client.receiveResponse()).status).toBe(200)
    client.socket.destroy()
  })

  it("fails with 504 at the core's timeout when the core stops reading, however much the client sends", async () => {
    const { port } = await startPausingCore({ timeoutMs: 300 }, (socket) => socket.pause())
    const client = await openRawClient(port)
    client.send(uploadHead(uploadLength))
    client.socket.write(Buffer.alloc(uploadLength / 2, 'x'))
    const dripping = setInterval(() => client.send('x'), 20)
    const response = await client.receiveResponse()
    clearInterval(dripping)
    expect([response.status, JSON.parse(response.body)]).toEqual([504, errorBody('core_timeout')])
    client.socket.destroy()
  })

  it('does not fail with 504 while the core repeatedly stops reading for less than its timeout', async () => {
    const length = 3 * uploadLength
    let unreadUntilPause = 2_000_000
    const pauseRepeatedly = (socket: Socket) => {
      socket.on('data', ({ length }) => {
        unreadUntilPause -= length
        if (unreadUntilPause > 0) return
        unreadUntilPause = 2_000_000
        socket.pause()
        setTimeout(() => socket.resume(), 100)
      })
    }
    const { port } = await startPausingCore({ timeoutMs: 1200 }, pauseRepeatedly, length)
    const client = await openRawClient(port)
    client.send(uploadHead(length))
    client.socket.write(Buffer.alloc(length, 'x'))
    expect((await client.receiveResponse()).status).toBe(200)
    client.socket.destroy()
  })

  it.each([
    ["does not fail with 504 while the client pauses for longer than the core's timeout", 30_000, 200],
    ['is rejected with 408 and not 504 when the client stops sending', 1000, 408],
  ])('%s', async (_, pauseTimeoutMs, status) => {
    const options = { timeoutMs: 400, bodyProgress: progressLimits({ pauseTimeoutMs }) }
    const { port } = await startPausingCore(options, () => {})
    const client = await openRawClient(port)
    client.send(uploadHead(uploadLength))
    client.socket.write(Buffer.alloc(uploadLength / 2, 'x'))
    if (status === 200) {
      await sleep(1200)
      client.socket.write(Buffer.alloc(uploadLength / 2, 'x'))
    }
    expect((await client.receiveResponse()).status).toBe(status)
    client.socket.destroy()
  })
})
