import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { get, openRawClient, post, type RawClient } from '#test/support/raw-client.ts'
import { startBalancer } from './abuse-balancer.ts'
import { connectionsAllowed, hangUp, hangUpAll, inBatches, openClients, readSlowly } from './abuse-clients.ts'
import { largeBytes } from './abuse-core.ts'
import { type GatewayProcess, openAbuseSetting } from './abuse-gateway.ts'
import { type Probe, startProbe } from './abuse-probe.ts'
import { counts, reportAbuse, timeoutMs } from './abuse-scale.ts'
import { head } from './wire.ts'

const setting = openAbuseSetting()
const soon = { timeout: 10_000 }
const authorized = () => `Authorization: Bearer ${setting.token}`

/** A gateway and a probe that is never to be let down by it, for the tests of one group. */
const startProbedGateway = (clients: string) => {
  let gateway: GatewayProcess | undefined
  let probe: Probe | undefined
  beforeAll(async () => {
    gateway = await setting.startGateway()
    probe = startProbe(gateway.url, setting.token)
  })
  afterEach(() => {
    expect(probe?.failures).toEqual([])
    expect(gateway?.hasEnded()).toBe(false)
  })
  afterAll(async () => {
    await probe?.stop()
    expect(probe?.failures).toEqual([])
    expect(probe?.answered()).toBeGreaterThan(0)
    reportAbuse(clients, { answersToTheProbe: probe?.answered(), ...(await gateway?.memoryMb()) })
    gateway?.terminate()
    expect(await gateway?.exited).toBe(0)
    expect(await gateway?.faults()).toEqual([])
  })
  return () => {
    if (!gateway) throw new Error('the gateway is not started yet')
    return gateway
  }
}

describe('clients that break off', () => {
  const gateway = startProbedGateway('clients that break off')

  it.each([
    ['a forwarded', counts.forwardedStrayBytes, () => post('/v1/stray', '')],
    ['a native', counts.nativeStrayBytes, () => post('/v1/libraries', '', authorized())],
  ])(
    'send a stray byte behind %s request without a body, %i of them, four at a time',
    { timeout: timeoutMs },
    async (_, count, request) => {
      const firstLines = new Set<string>()
      await inBatches(count, 4, (indices) =>
        Promise.all(
          indices.map(async (index) => {
            const client = await openRawClient(gateway().port)
            client.send(`${request()}x`)
            // One half reads the response, the other is gone while it is made.
            if (index % 4 < 2) firstLines.add((await client.closed()).slice(0, 12))
            hangUp(client, index)
          }),
        ),
      )
      expect([...firstLines]).toEqual([expect.stringMatching(/^HTTP\/1\.1 (?:200|400)$/)])
    },
  )

  const beginToRead = (clients: readonly RawClient[]) =>
    Promise.all(clients.map(({ socket }) => new Promise((resolve) => socket.once('data', resolve))))
  const reachedCore = (path: string) => (_: unknown, count: number) =>
    expect.poll(() => setting.core.underWay(path), soon).toBe(count)
  const atOnce = () => Promise.resolve()

  it.each<
    [phase: string, bytes: () => string, sent: (clients: readonly RawClient[], count: number) => unknown]
  >([
    ['before the first byte', () => '', atOnce],
    ['inside the head', () => 'GET /v1/tracks HTTP/1.1\r\nHost: a\r\nX-', atOnce],
    ['inside a body', () => head('POST /v1/up', 'Content-Length: 9000').concat('half'), atOnce],
    [
      'inside a body that streams',
      () => head('POST /v1/up', 'Transfer-Encoding: chunked').concat('4\r\nhalf\r\n'),
      () => expect.poll(() => setting.core.underWay('/v1/up'), soon).toBeGreaterThan(0),
    ],
    [
      'inside the body of a native route',
      () => head('POST /v1/libraries', authorized(), 'Content-Length: 9000').concat('{"'),
      atOnce,
    ],
    ['while a native route works', () => get('/v1/libraries', authorized()), atOnce],
    ['while the core works', () => get('/v1/held'), reachedCore('/v1/held')],
    ['inside the response', () => get('/v1/endless'), beginToRead],
    ['before their other requests are served', () => get('/v1/held').repeat(9), reachedCore('/v1/held')],
  ])(`hang up %s, ${counts.hangingUp} of them`, { timeout: timeoutMs }, async (_, bytes, sent) => {
    const before = await gateway().openDescriptors()
    await inBatches(counts.hangingUp, 50, async (indices) => {
      const clients = await openClients(gateway().port, indices.length)
      for (const client of clients) client.send(bytes())
      try {
        await sent(clients, clients.length)
      } finally {
        clients.forEach(hangUp)
      }
      for (const path of ['/v1/held', '/v1/endless', '/v1/up'])
        await expect.poll(() => setting.core.underWay(path), soon).toBe(0)
    })
    // What is left beside what was there are connections to the core, which are kept for the next requests.
    await expect.poll(() => gateway().openDescriptors(), { timeout: 5000 }).toBeLessThan(before + 100)
  })
})

describe('clients that stay', () => {
  const gateway = startProbedGateway('clients that stay')
  const { idle, asking } = counts

  it(`are ${idle} at once, of whom ${asking} ask at once, without an error`, {
    timeout: timeoutMs,
  }, async () => {
    const clients: RawClient[] = []
    try {
      const ask = (some: readonly RawClient[], path: string) =>
        Promise.all(
          some.map(async (client) => {
            client.send(get(path))
            return (await client.answer()).status
          }),
        )
      const statuses: number[] = []
      await inBatches(connectionsAllowed(idle), 500, async (indices) => {
        const opened = await openClients(gateway().port, indices.length)
        clients.push(...opened)
        statuses.push(...(await ask(opened, '/healthz')))
      })
      const busy = clients.slice(0, asking)
      for (const path of ['/v1/tracks', '/v1/packs']) statuses.push(...(await ask(busy, path)))
      expect(new Set(statuses)).toEqual(new Set([200]))
      expect(statuses).toHaveLength(clients.length + 2 * busy.length)
      expect(clients.filter(({ socket }) => socket.readableEnded || socket.destroyed)).toEqual([])
    } finally {
      hangUpAll(clients)
    }
  })
})

describe.concurrent('clients that are slow', () => {
  const gateway = startProbedGateway('clients that are slow')
  const everySecond = async (clients: readonly RawClient[], text: string, times: number) => {
    for (let at = 0; at < times; at++) {
      for (const client of clients) if (client.socket.writable) client.send(text)
      await sleep(1000)
    }
  }

  it(`are told 408 when ${counts.slowHeads} of them send a byte of a head a second`, {
    timeout: timeoutMs,
  }, async () => {
    const clients = await openClients(gateway().port, counts.slowHeads)
    try {
      const begun = performance.now()
      for (const client of clients) client.send('GET /v1/tracks HTTP/1.1\r\nHost: a\r\nX-Slow: ')
      const sending = everySecond(clients, 'x', 12)
      const texts = await Promise.all(clients.map((client) => client.closed()))
      const tookMs = performance.now() - begun
      await sending
      expect(new Set(texts.map((text) => text.slice(0, 12)))).toEqual(new Set(['HTTP/1.1 408']))
      expect(tookMs).toBeLessThan(15_000)
    } finally {
      hangUpAll(clients)
    }
  })

  it('are served natively when their bodies take longer than a native route may', {
    timeout: 30_000,
  }, async () => {
    const clients = await openClients(gateway().port, 20)
    try {
      // A little more than the 1 KiB/s that every client has to send.
      const pieces = 13
      const pieceLength = 1024
      const padding = ' '.repeat(pieces * pieceLength)
      const bodies = clients.map((_, at) => `{"name":"${at + 100}"}${padding}`.slice(0, padding.length))
      clients.forEach((client) => {
        client.send(head('POST /v1/libraries', authorized(), `Content-Length: ${padding.length}`))
      })
      const responses = Promise.all(clients.map((client) => client.answer()))
      for (let piece = 0; piece < pieces; piece++) {
        clients.forEach((client, at) => {
          client.send(bodies[at]!.slice(piece * pieceLength, (piece + 1) * pieceLength))
        })
        await sleep(900)
      }
      const seen = (await responses).map(({ status, header }) => [status, header('x-service-core-runtime')])
      expect(new Set(seen.map(String))).toEqual(new Set(['201,native']))
    } finally {
      hangUpAll(clients)
    }
  })

  it.each([
    ['of a known length', ['Content-Length: 4'], 'x', ''],
    ['in chunks', ['Transfer-Encoding: chunked'], '1\r\nx\r\n', '0\r\n\r\n'],
  ])(
    'hold nobody up when 300 of them send a byte of a body %s a second',
    { timeout: 30_000 },
    async (_, framing, piece, end) => {
      const clients = await openClients(gateway().port, 300)
      try {
        for (const client of clients) client.send(head('POST /v1/up', ...framing))
        const responses = Promise.all(clients.map(async (client) => (await client.answer()).status))
        await everySecond(clients, piece, 4)
        for (const client of clients) if (client.socket.writable && end) client.send(end)
        const statuses = await responses
        // Bodies that stream have 32 connections to the core and 256 places to wait; the rest is told so at once.
        expect(statuses.filter((status) => status === 503).length).toBe(end ? 12 : 0)
        expect(statuses.filter((status) => status === 200).length).toBe(end ? 288 : 300)
      } finally {
        hangUpAll(clients)
      }
    },
  )
})

describe.concurrent('clients that read slowly', () => {
  const gateway = startProbedGateway('clients that read slowly')

  it('are 20 of 100 MiB, of which little is held at any time', { timeout: 60_000 }, async () => {
    const before = (await gateway().memoryMb()).now
    const message = get('/v1/large', 'Connection: close')
    const read = (_: unknown, index: number) =>
      readSlowly(gateway().port, message, {
        restMs: 40,
        slowForMs: 4000,
        afterwards: index < 4 ? 'read on' : 'hang up',
      })
    const lengths = await Promise.all(Array.from({ length: 20 }, read))
    expect(lengths.slice(0, 4)).toEqual(Array(4).fill(largeBytes))
    expect(Math.max(...lengths.slice(4))).toBeLessThan(largeBytes)
    // Of two gigabytes; what a process holds at rest depends on what else it has loaded.
    expect((await gateway().memoryMb()).peak - before).toBeLessThan(150)
  })
})

describe('an instance that is told to stop under load', () => {
  it('lets no request fail behind a balancer that watches /readyz', { timeout: 30_000 }, async () => {
    const [leaving, staying] = await Promise.all([setting.startGateway(), setting.startGateway()])
    const balancer = startBalancer([leaving.url, staying.url])
    const headers = { authorization: `Bearer ${setting.token}` }
    const paths = ['/v1/tracks', '/v1/libraries', '/v1/in-halves', '/v1/tracks']
    const failures: string[] = []
    let over = false
    const load = async (_: unknown, client: number) => {
      for (let turn = client; !over; turn++) {
        await balancer
          .ask(paths[turn % paths.length]!, headers)
          .catch((error) => failures.push(String(error)))
      }
    }
    const clients = Promise.all(Array.from({ length: 24 }, load))
    await expect.poll(() => balancer.served()[0], { timeout: 10_000 }).toBeGreaterThan(100)
    leaving.terminate()
    expect(await leaving.exited).toBe(0)
    const [ofLeaving, ofStaying] = balancer.served()
    await sleep(500)
    over = true
    await clients
    await balancer.close()

    expect(failures).toEqual([])
    expect(balancer.served()[0]).toBe(ofLeaving)
    expect(balancer.served()[1]).toBeGreaterThan(ofStaying!)
    staying.terminate()
    expect(await staying.exited).toBe(0)
    expect([...(await leaving.faults()), ...(await staying.faults())]).toEqual([])
  })
})
