import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { get, openRawClient, post, type RawClient } from '#test/support/raw-client.ts'
import { startBalancer } from './abuse-balancer.ts'
import {
  closeOrReset,
  inBatches,
  limitConnections,
  openClients,
  readSlowly,
  resetAll,
} from './abuse-clients.ts'
import { largeBytes } from './abuse-core.ts'
import { createAbuseEnvironment, type GatewayProcess } from './abuse-gateway.ts'
import { type Probe, startProbe } from './abuse-probe.ts'
import { counts, timeoutMs } from './abuse-scale.ts'
import { head } from './wire.ts'

const environment = createAbuseEnvironment()
const pollOptions = { timeout: 10_000 }
const authorized = () => `Authorization: Bearer ${environment.token}`

/** Starts a gateway and a probe for the tests of one group. None of the probe's requests may fail. */
const startProbedGateway = () => {
  let gateway: GatewayProcess | undefined
  let probe: Probe | undefined
  beforeAll(async () => {
    gateway = await environment.startGateway()
    probe = startProbe(gateway.url, environment.token)
  })
  afterEach(() => {
    expect(probe?.failures).toEqual([])
    expect(gateway?.hasExited()).toBe(false)
  })
  afterAll(async () => {
    await probe?.stop()
    expect(probe?.failures).toEqual([])
    expect(probe?.succeeded()).toBeGreaterThan(0)
    gateway?.sendSigterm()
    expect(await gateway?.exited).toBe(0)
    expect(await gateway?.errorLines()).toEqual([])
  })
  return () => {
    if (!gateway) throw new Error('the gateway is not started yet')
    return gateway
  }
}

describe('clients that disconnect', () => {
  const gateway = startProbedGateway()

  it.each([
    ['a forwarded', counts.forwardedStrayBytes, () => post('/v1/stray', '')],
    ['a native', counts.nativeStrayBytes, () => post('/v1/libraries', '', authorized())],
  ])(
    'get a response if they send a stray byte after %s request without a body: %i of them, four at a time',
    { timeout: timeoutMs },
    async (_, count, request) => {
      const firstLines = new Set<string>()
      await inBatches(count, 4, (indices) =>
        Promise.all(
          indices.map(async (index) => {
            const client = await openRawClient(gateway().port)
            client.send(`${request()}x`)
            // Half of the clients read the response; the others disconnect before it is sent.
            if (index % 4 < 2) firstLines.add((await client.waitForClose()).slice(0, 12))
            closeOrReset(client, index)
          }),
        ),
      )
      expect([...firstLines]).toEqual([expect.stringMatching(/^HTTP\/1\.1 (?:200|400)$/)])
    },
  )

  const firstChunks = (clients: readonly RawClient[]) =>
    Promise.all(clients.map(({ socket }) => new Promise((resolve) => socket.once('data', resolve))))
  const reachedCore = (path: string) => (_: unknown, count: number) =>
    expect.poll(() => environment.core.openRequests(path), pollOptions).toBe(count)
  const nothing = () => Promise.resolve()

  it.each<
    [phase: string, bytes: () => string, sent: (clients: readonly RawClient[], count: number) => unknown]
  >([
    ['before the first byte', () => '', nothing],
    ['inside the head', () => 'GET /v1/tracks HTTP/1.1\r\nHost: a\r\nX-', nothing],
    ['inside a body', () => head('POST /v1/up', 'Content-Length: 9000').concat('half'), nothing],
    [
      'inside a body that streams',
      () => head('POST /v1/up', 'Content-Length: 9000000').concat('half'),
      () => expect.poll(() => environment.core.openRequests('/v1/up'), pollOptions).toBeGreaterThan(0),
    ],
    [
      'inside the body of a native route',
      () => head('POST /v1/libraries', authorized(), 'Content-Length: 9000').concat('{"'),
      nothing,
    ],
    ['while a native route runs', () => get('/v1/libraries', authorized()), nothing],
    ['while the core is busy', () => get('/v1/held'), reachedCore('/v1/held')],
    ['inside the response', () => get('/v1/endless'), firstChunks],
    ['before their other requests are served', () => get('/v1/held').repeat(9), reachedCore('/v1/held')],
  ])(
    `leave no request or file descriptor open if they disconnect %s: ${counts.disconnecting} of them`,
    { timeout: timeoutMs },
    async (_, bytes, sent) => {
      const before = await gateway().countOpenDescriptors()
      await inBatches(counts.disconnecting, 50, async (indices) => {
        const clients = await openClients(gateway().port, indices.length)
        for (const client of clients) client.send(bytes())
        try {
          await sent(clients, clients.length)
        } finally {
          clients.forEach(closeOrReset)
        }
        for (const path of ['/v1/held', '/v1/endless', '/v1/up'])
          await expect.poll(() => environment.core.openRequests(path), pollOptions).toBe(0)
      })
      // The remaining descriptors belong to idle connections to the core, which later requests use.
      await expect.poll(() => gateway().countOpenDescriptors(), { timeout: 5000 }).toBeLessThan(before + 100)
    },
  )
})

describe('many connections', () => {
  const gateway = startProbedGateway()
  const { idle, requesting } = counts

  it(`are all served: ${idle} idle connections, ${requesting} concurrent requests`, {
    timeout: timeoutMs,
  }, async () => {
    const clients: RawClient[] = []
    try {
      const request = (some: readonly RawClient[], path: string) =>
        Promise.all(
          some.map(async (client) => {
            client.send(get(path))
            return (await client.receiveResponse()).status
          }),
        )
      const statuses: number[] = []
      await inBatches(limitConnections(idle), 500, async (indices) => {
        const opened = await openClients(gateway().port, indices.length)
        clients.push(...opened)
        statuses.push(...(await request(opened, '/healthz')))
      })
      const busy = clients.slice(0, requesting)
      for (const path of ['/v1/tracks', '/v1/packs']) statuses.push(...(await request(busy, path)))
      expect(new Set(statuses)).toEqual(new Set([200]))
      expect(statuses).toHaveLength(clients.length + 2 * busy.length)
      expect(clients.filter(({ socket }) => socket.readableEnded || socket.destroyed)).toEqual([])
    } finally {
      resetAll(clients)
    }
  })
})

describe.concurrent('clients that are slow', () => {
  const gateway = startProbedGateway()
  const everySecond = async (clients: readonly RawClient[], text: string, times: number) => {
    for (let index = 0; index < times; index++) {
      for (const client of clients) if (client.socket.writable) client.send(text)
      await sleep(1000)
    }
  }

  it(`get 408 when ${counts.slowHeads} of them each send one byte of a request head per second`, {
    timeout: timeoutMs,
  }, async () => {
    const clients = await openClients(gateway().port, counts.slowHeads)
    try {
      const begun = performance.now()
      for (const client of clients) client.send('GET /v1/tracks HTTP/1.1\r\nHost: a\r\nX-Slow: ')
      const sending = everySecond(clients, 'x', 12)
      const texts = await Promise.all(clients.map((client) => client.waitForClose()))
      const tookMs = performance.now() - begun
      await sending
      expect(new Set(texts.map((text) => text.slice(0, 12)))).toEqual(new Set(['HTTP/1.1 408']))
      expect(tookMs).toBeLessThan(15_000)
    } finally {
      resetAll(clients)
    }
  })

  it("are served natively even if their bodies take longer than a native route's timeout", {
    timeout: 30_000,
  }, async () => {
    const clients = await openClients(gateway().port, 20)
    try {
      // Slightly above the minimum rate of 1 KiB/s.
      const pieces = 13
      const pieceLength = 1024
      const padding = ' '.repeat(pieces * pieceLength)
      const bodies = clients.map((_, at) => `{"name":"${at + 100}"}${padding}`.slice(0, padding.length))
      clients.forEach((client) => {
        client.send(head('POST /v1/libraries', authorized(), `Content-Length: ${padding.length}`))
      })
      const responses = Promise.all(clients.map((client) => client.receiveResponse()))
      for (let piece = 0; piece < pieces; piece++) {
        clients.forEach((client, at) => {
          client.send(bodies[at]!.slice(piece * pieceLength, (piece + 1) * pieceLength))
        })
        await sleep(900)
      }
      const received = (await responses).map(({ status, header }) => [
        status,
        header('x-service-core-runtime'),
      ])
      expect(new Set(received.map(String))).toEqual(new Set(['201,native']))
    } finally {
      resetAll(clients)
    }
  })

  it.each([
    ['of a known length', ['Content-Length: 4'], 'x', ''],
    ['in chunks', ['Transfer-Encoding: chunked'], '1\r\nx\r\n', '0\r\n\r\n'],
  ])(
    'do not delay other clients when 300 of them each send a body %s at one byte per second',
    { timeout: 30_000 },
    async (_, framing, piece, end) => {
      const clients = await openClients(gateway().port, 300)
      try {
        for (const client of clients) client.send(head('POST /v1/up', ...framing))
        const responses = Promise.all(clients.map(async (client) => (await client.receiveResponse()).status))
        await everySecond(clients, piece, 4)
        for (const client of clients) if (client.socket.writable && end) client.send(end)
        const statuses = await responses
        expect(new Set(statuses)).toEqual(new Set([200]))
      } finally {
        resetAll(clients)
      }
    },
  )
})

describe.concurrent('clients that read slowly', () => {
  const gateway = startProbedGateway()

  it('do not make the gateway buffer 20 responses of 100 MiB each', { timeout: 60_000 }, async () => {
    const before = (await gateway().memoryMb()).now
    const message = get('/v1/large', 'Connection: close')
    const read = (_: unknown, index: number) =>
      readSlowly(gateway().port, message, {
        pauseMs: 40,
        slowForMs: 4000,
        afterwards: index < 4 ? 'read on' : 'disconnect',
      })
    const lengths = await Promise.all(Array.from({ length: 20 }, read))
    expect(lengths.slice(0, 4)).toEqual(Array(4).fill(largeBytes))
    expect(Math.max(...lengths.slice(4))).toBeLessThan(largeBytes)
    // The responses add up to two gigabytes. The test measures growth, because idle memory depends on what the process
    // has loaded.
    expect((await gateway().memoryMb()).peak - before).toBeLessThan(150)
  })
})

describe('an instance that is stopped under load', () => {
  it('fails no request from a load balancer that polls /readyz', { timeout: 30_000 }, async () => {
    const [leaving, staying] = await Promise.all([environment.startGateway(), environment.startGateway()])
    const balancer = startBalancer([leaving.url, staying.url])
    const headers = { authorization: `Bearer ${environment.token}` }
    const paths = ['/v1/tracks', '/v1/libraries', '/v1/in-halves', '/v1/tracks']
    const failures: string[] = []
    let isOver = false
    const load = async (_: unknown, client: number) => {
      for (let sent = client; !isOver; sent++) {
        await balancer
          .send(paths[sent % paths.length]!, headers)
          .catch((error) => failures.push(String(error)))
      }
    }
    const clients = Promise.all(Array.from({ length: 24 }, load))
    await expect.poll(() => balancer.served()[0], { timeout: 10_000 }).toBeGreaterThan(100)
    leaving.sendSigterm()
    expect(await leaving.exited).toBe(0)
    const [ofLeaving, ofStaying] = balancer.served()
    await sleep(500)
    isOver = true
    await clients
    await balancer.close()

    expect(failures).toEqual([])
    expect(balancer.served()[0]).toBe(ofLeaving)
    expect(balancer.served()[1]).toBeGreaterThan(ofStaying!)
    staying.sendSigterm()
    expect(await staying.exited).toBe(0)
    expect([...(await leaving.errorLines()), ...(await staying.errorLines())]).toEqual([])
  })
})
