import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { progressLimits } from '#test/support/progress-limits.ts'
import { get, openRawClient, post, sendRaw } from '#test/support/raw-client.ts'
import { bytes, type Reply, replyOk } from '#test/support/raw-core.ts'
import { startCoreAndGateway, until } from './forwarding-gateway.ts'

const head = 'HTTP/1.1 200 OK\r\n'

const replies: readonly Reply[] = [
  replyOk,
  replyOk,
  () => {},
  (socket) => socket.resetAndDestroy(),
  bytes(`${head}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`),
  bytes(`${head}Content-Length: 200000\r\n\r\n${'x'.repeat(200_000)}`),
  bytes(`HTTP/1.1 100 Continue\r\n\r\n${head}Content-Length: 2\r\n\r\nok`),
  (socket) => socket.end(`${head}Content-Length: 9\r\n\r\nhalf`),
  bytes('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n'),
]

const messages: readonly string[] = [
  get('/v1/tracks'),
  `${post('/v1/tracks', '')}x`,
  post('/v1/tracks', '{}'),
  get('/v1/a') + get('/v1/b'),
  'POST /v1/up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n',
  `POST /v1/up HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n${'x'.repeat(100_000)}`,
  `POST /v1/up HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n\r\n`,
  get('/v1/tracks').replace('GET', 'HEAD'),
]

// The sequence is the same in every run, so failures can be reproduced.
const sequence = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}

const pick = <T>(list: readonly T[], random: () => number) => list[Math.floor(random() * list.length)] as T

describe('clients that disconnect at any point of a request', () => {
  it('do not affect later requests or leave connections to the core open', async () => {
    const random = sequence(1)
    const settings = {
      timeoutMs: 100,
      bodyProgress: progressLimits({ pauseTimeoutMs: 100 }),
      retryable: true,
      connections: 6,
      uploadConnections: 3,
    }
    const { core, port } = await startCoreAndGateway(
      (socket, request) => pick(replies, random)(socket, request),
      settings,
    )
    const sendAndDisconnect = async () => {
      const client = await openRawClient(port)
      client.send(pick(messages, random))
      await sleep(random() * 30)
      if (random() < 0.5) client.socket.destroy()
      else client.socket.resetAndDestroy()
    }
    for (let round = 0; round < 25; round++) await Promise.all(Array.from({ length: 8 }, sendAndDisconnect))
    core.nextReplies.push(...Array.from({ length: 20 }, () => replyOk))
    // On a busy machine, connecting can take more than 100 ms, which opens the circuit breaker for seconds.
    await expect
      .poll(async () => (await sendRaw(port, get('/v1/tracks'))).status, { timeout: 10_000 })
      .toBe(200)
    await until(() => core.openConnections() <= 6)
  })
})
