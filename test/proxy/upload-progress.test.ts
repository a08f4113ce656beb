import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { progressLimits } from '#test/support/progress-limits.ts'
import { openRawClient } from '#test/support/raw-client.ts'
import { startCoreAndGateway, startForwardingGateway, until } from './forwarding-gateway.ts'

const uploadHead = (length: number) =>
  `POST /v1/uploads HTTP/1.1\r\nHost: api.example\r\nContent-Length: ${length}\r\n\r\n`

describe('an upload to the core', () => {
  it('returns 408 when it makes progress but is too slow on average', async () => {
    const { core, port } = await startCoreAndGateway(() => {}, {
      bodyProgress: progressLimits({ gracePeriodMs: 150, minBytesPerS: 1000 }),
    })
    const client = await openRawClient(port)
    client.send(uploadHead(1_000_000))
    const dripping = setInterval(() => client.send('x'), 20)
    const response = await client.receiveResponse()
    clearInterval(dripping)
    expect([response.status, JSON.parse(response.body)]).toEqual([408, { error: 'request_timeout' }])
    await until(() => core.openConnections() === 0)
    client.socket.destroy()
  })

  it('returns 408 when no byte of it arrives within the grace period', async () => {
    const { port } = await startCoreAndGateway(() => {}, {
      bodyProgress: progressLimits({ gracePeriodMs: 100 }),
    })
    const client = await openRawClient(port)
    client.send(uploadHead(1_000_000))
    expect((await client.receiveResponse()).status).toBe(408)
    client.socket.destroy()
  })

  it('does not count the time in which the core does not read', async () => {
    const length = 16 * 1024 * 1024
    let receivedBytes = 0
    const core = createServer((socket) => {
      socket.on('data', (chunk) => {
        receivedBytes += chunk.length
        if (receivedBytes > length) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      })
      socket.pause()
      setTimeout(() => socket.resume(), 1000)
    })
    await new Promise<void>((resolve) => core.listen(0, '127.0.0.1', resolve))
    const address = core.address()
    const coreUrl = `http://127.0.0.1:${typeof address === 'object' && address?.port}`
    // No rate is fast enough, so the client has half a second in all; the core alone needs twice as long.
    const bodyProgress = progressLimits({ gracePeriodMs: 500, minBytesPerS: 1e12 })
    const { port, close } = await startForwardingGateway(coreUrl, { bodyProgress })
    onTestFinished(async () => {
      await close()
      core.close()
    })
    const client = await openRawClient(port)
    client.send(uploadHead(length))
    client.socket.write(Buffer.alloc(length, 'x'))
    expect((await client.receiveResponse()).status).toBe(200)
    client.socket.destroy()
  })
})
