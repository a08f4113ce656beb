import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { progressLimits } from '#test/support/progress-limits.ts'
import { get, openRawClient, post, type RawClient } from '#test/support/raw-client.ts'
import { bytes, type Reply, replyOk } from '#test/support/raw-core.ts'
import { startCoreAndGateway, until } from './forwarding-gateway.ts'

const head = 'HTTP/1.1 200 OK\r\n'

// Ends the connection after a second, because a write waits for the core's response even after its client has
// half-closed.
const hang: Reply = (socket) => void setTimeout(() => socket.resetAndDestroy(), 1000)
const stream: Reply = (socket, request) => {
  bytes(`${head}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`)(socket, request)
  hang(socket, request)
}

const replies: readonly Reply[] = [
  replyOk,
  replyOk,
  hang,
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.end(`${head}Content-Length: 9\r\n\r\nhalf`),
  bytes('not HTTP at all\r\n\r\n'),
  bytes('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n'),
  stream,
  bytes(`${head}Content-Length: 2000000\r\n\r\n${'x'.repeat(2_000_000)}`),
]

const chunked = 'POST /v1/up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'

const messages: readonly string[] = [
  get('/v1/tracks'),
  get('/v1/tracks').replace('GET', 'HEAD'),
  get('/v1/a') + get('/v1/b'),
  post('/v1/tracks', '{}'),
  post('/v1/up', 'x'.repeat(3000)),
  post('/v1/up', 'x'.repeat(3000)).slice(0, -1000),
  `${chunked}4\r\npart\r\n`,
  `${chunked}4\r\npart\r\n0\r\n\r\n`,
  `${chunked}${(3000).toString(16)}\r\n${'x'.repeat(3000)}\r\n`,
  `${chunked}${(3000).toString(16)}\r\n${'x'.repeat(3000)}\r\n0\r\n\r\n`,
  `${chunked}zz\r\n`,
]

// The sequence is the same in every run, so failures can be reproduced.
const sequence = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}

const pick = <T>(list: readonly T[], random: () => number) => list[Math.floor(random() * list.length)] as T

it('all slots, extra connections and memory are free after requests have ended in every possible way', async () => {
  const random = sequence(7)
  let reply: Reply | null = null
  const { core, port, gateway } = await startCoreAndGateway(
    (socket, request) => {
      const selected = reply ?? pick(replies, random)
      selected(socket, request)
    },
    {
      bodyLimit: 1000,
      bodyMemoryBytes: 20_000,
      timeoutMs: 10_000,
      queueTimeoutMs: 60,
      longStreamAfterMs: 30,
      bodyProgress: progressLimits({ pauseTimeoutMs: 150 }),
      retryable: true,
      connections: 8,
      extraConnections: 4,
      uploadConnections: 8,
      routeOf: (path) => path,
    },
  )
  const open = async (message: string, address: string) => {
    const client = await openRawClient(port, address)
    client.send(message)
    return client
  }
  const sendAndEnd = async () => {
    const client = await open(pick(messages, random), `127.0.0.${1 + Math.floor(random() * 6)}`)
    if (random() < 0.3) client.socket.pause()
    await sleep(random() * 250)
    if (random() < 0.5) client.socket.destroy()
    else client.socket.resetAndDestroy()
  }
  for (let round = 0; round < 12; round++) await Promise.all(Array.from({ length: 30 }, sendAndEnd))
  const countConnections = () =>
    new Promise((resolve) => gateway.edge.server.getConnections((_, count) => resolve(count)))
  const waitForEnd = () => expect.poll(countConnections, { timeout: 5000 }).toBe(0)
  await waitForEnd()
  await until(() => gateway.budget.usedBytes === 0)

  // Each client gets its whole share only if no slot of an earlier request is still counted.
  const holding: RawClient[] = []
  let before = core.requests.length
  const hold = async (message: string, shares: readonly number[]) => {
    for (const [at, share] of shares.entries())
      for (let sent = 0; sent < share; sent++) {
        holding.push(await open(message, `127.0.0.${at + 1}`))
        await until(() => core.requests.length === before + holding.length)
      }
  }
  // Two of the client's streams move from their slots to extra connections.
  reply = stream
  await hold(get('/v1/tracks'), [4])
  const openAnother = async () => {
    if (core.requests.length < before + 6) holding.push(await open(get('/v1/tracks'), '127.0.0.1'))
    return core.requests.length - before
  }
  await expect.poll(openAnother, { interval: 50, timeout: 5000 }).toBe(6)
  for (const { socket } of holding.splice(0)) socket.destroy()
  await waitForEnd()

  reply = hang
  before = core.requests.length
  await hold(get('/v1/tracks'), [4, 2, 1])
  await hold(post('/v1/up', 'x'.repeat(3000)), [4, 2, 1])
  expect(core.requests.length).toBe(before + 14)
  for (const { socket } of holding) socket.destroy()
}, 60_000)
