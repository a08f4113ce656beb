import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCircuitBreaker } from '#proxy/circuit-breaker.ts'
import type { CorePoolOptions } from '#proxy/undici/core-pool.ts'
import { get, post, sendRaw } from '#test/support/raw-client.ts'
import { type RawCore, type Reply, replyOk, startRawCore } from '#test/support/raw-core.ts'
import { startPoolGateway, until } from './forwarding-gateway.ts'
import { createHangingReplies, startTraffic } from './hanging-core.ts'
import { thenReset } from './misbehaving-core.ts'

type Options = Partial<CorePoolOptions> & { readonly retryable?: boolean }

const fast = { checkIntervalMs: 50, createBreaker: () => createCircuitBreaker({ openMs: 50 }) }

const start = async (replies: readonly Reply[], options: Options = {}) => {
  const cores = await Promise.all(replies.map((reply) => startRawCore(reply)))
  const gateway = await startPoolGateway(
    cores.map(({ url }) => url),
    { ...fast, ...options },
  )
  onTestFinished(async () => {
    await Promise.all(cores.map((core) => core.close()))
    await gateway.close()
  })
  const [first, second] = cores as [RawCore, RawCore]
  return { first, second, gateway, port: gateway.port }
}

const targetsOf = ({ requests }: RawCore) =>
  requests.map(({ target }) => target).filter((target) => target.startsWith('/v1'))

const isAvailable = (gateway: Awaited<ReturnType<typeof start>>['gateway'], { url }: RawCore) =>
  gateway.transport.endpoints().find(({ name }) => name === new URL(url).host)?.isAvailable

const sendAll = async (port: number, messages: readonly string[]) => {
  const statuses: number[] = []
  for (const message of messages) statuses.push((await sendRaw(port, message)).status)
  return statuses
}

const gets = (count: number) => Array.from({ length: count }, (_, index) => get(`/v1/reads/${index}`))
const posts = (count: number) =>
  Array.from({ length: count }, (_, index) => post(`/v1/writes/${index}`, '{}'))
const all = (status: number, count: number) => Array.from({ length: count }, () => status)

const findClosedPort = async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('with two core endpoints, the gateway', () => {
  it('alternates between them while no request is in progress', async () => {
    const { first, second, port } = await start([replyOk, replyOk])
    expect(await sendAll(port, gets(10))).toEqual(all(200, 10))
    expect([targetsOf(first).length, targetsOf(second).length]).toEqual([5, 5])
  })

  it('sends each request to the endpoint with fewer requests in progress', async () => {
    const open: (() => void)[] = []
    const slow: Reply = (socket, request) => {
      if (request.target.startsWith('/v1')) open.push(() => replyOk(socket, request))
      else replyOk(socket, request)
    }
    const { second, port } = await start([slow, replyOk])
    const held = [sendRaw(port, get('/v1/a')), sendRaw(port, get('/v1/b'))]
    await until(() => open.length === 1)
    expect(await sendAll(port, gets(6))).toEqual(all(200, 6))
    expect(targetsOf(second)).toHaveLength(7)
    for (const reply of open) reply()
    await Promise.all(held)
  })

  it("rewrites a redirect to the other endpoint's address", async () => {
    const redirectToFirst: Reply = (socket) =>
      socket.write(`HTTP/1.1 302 Found\r\nLocation: ${first.url}/v1/next\r\nContent-Length: 0\r\n\r\n`)
    const { first, port } = await start([redirectToFirst, redirectToFirst], {
      publicBaseUrl: 'https://api.test',
    })
    const responses = [await sendRaw(port, get('/v1/a')), await sendRaw(port, get('/v1/b'))]
    expect(responses.map((response) => response.header('location'))).toEqual([
      'https://api.test/v1/next',
      'https://api.test/v1/next',
    ])
  })

  it('loses no request that is sent after an endpoint has died', async () => {
    const onlyRequests = { checkIntervalMs: 60_000 }
    const { first, second, gateway, port } = await start([replyOk, replyOk], onlyRequests)
    await sendAll(port, gets(4))
    await first.close()
    const messages = [...posts(10), ...gets(10)]
    expect(await sendAll(port, messages)).toEqual(all(200, messages.length))
    expect(targetsOf(second).filter((target) => target.startsWith('/v1/writes'))).toHaveLength(10)
    await until(() => isAvailable(gateway, first) === false)
    expect(await gateway.transport.readCoreState()).toBe('up')
    expect(gateway.transport.breakerState()).toBe('closed')
    expect(gateway.transport.resends()).toBeGreaterThan(0)
  })

  it('repeats a side-effect-free read on the other endpoint if its connection is lost', async () => {
    const { first, second, port } = await start([thenReset(''), replyOk], { retryable: true })
    expect(await sendAll(port, gets(6))).toEqual(all(200, 6))
    expect(new Set(targetsOf(first)).size).toBe(targetsOf(first).length)
    expect(targetsOf(second)).toHaveLength(6)
  })

  it('never sends a request to both endpoints if the first may have processed it', async () => {
    const { first, second, port } = await start([thenReset(''), thenReset('')])
    const messages = [...posts(6), ...gets(6)]
    expect(await sendAll(port, messages)).toEqual(all(502, messages.length))
    const sent = [...targetsOf(first), ...targetsOf(second)]
    expect(sent).toHaveLength(messages.length)
    expect(new Set(sent).size).toBe(messages.length)
  })

  it('sends a retryable read at most twice', async () => {
    const { first, second, port } = await start([thenReset(''), thenReset('')], { retryable: true })
    expect(await sendAll(port, gets(1))).toEqual([502])
    expect([...targetsOf(first), ...targetsOf(second)]).toEqual(['/v1/reads/0', '/v1/reads/0'])
  })

  it('avoids an endpoint that fails instantly, though it has the fewest requests in progress', async () => {
    const failing: Reply = (socket, { target }) => {
      const status = target.startsWith('/v1') ? '500 Internal Server Error' : '200 OK'
      socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`)
    }
    const { first, second, port } = await start([failing, replyOk])
    const statuses = await sendAll(port, gets(30))
    expect(statuses.filter((status) => status === 500)).toHaveLength(5)
    expect([targetsOf(first).length, targetsOf(second).length]).toEqual([5, 25])
  })

  it('keeps sending requests if both endpoints fail', async () => {
    const failing: Reply = (socket) => {
      socket.write('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n')
    }
    const { port } = await start([failing, failing])
    expect(await sendAll(port, gets(20))).toEqual(all(500, 20))
  })

  it('sends no new requests to an endpoint while it drains, and uses it again afterwards', async () => {
    let drains = false
    const draining: Reply = (socket, request) => {
      if (drains && request.target === '/health')
        socket.write('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')
      else replyOk(socket, request)
    }
    const { first, gateway, port } = await start([draining, replyOk], { probePath: '/health' })
    drains = true
    await until(() => isAvailable(gateway, first) === false)
    expect(await sendAll(port, gets(6))).toEqual(all(200, 6))
    expect(targetsOf(first)).toEqual([])
    drains = false
    await until(() => isAvailable(gateway, first) === true)
    await sendAll(port, gets(6))
    expect(targetsOf(first)).toHaveLength(3)
  })

  it('uses an endpoint again once it can be reached', async () => {
    const closedPort = await findClosedPort()
    const other = await startRawCore()
    const gateway = await startPoolGateway([`http://127.0.0.1:${closedPort}`, other.url], fast)
    const isFirstAvailable = () => gateway.transport.endpoints()[0]?.isAvailable
    await until(() => isFirstAvailable() === false)
    expect(await sendAll(gateway.port, posts(8))).toEqual(all(200, 8))
    const server = createServer((socket) =>
      socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n')),
    )
    await new Promise<void>((resolve) => server.listen(closedPort, '127.0.0.1', resolve))
    onTestFinished(async () => {
      await gateway.close()
      await other.close()
      server.close()
    })
    await until(() => isFirstAvailable() === true)
    expect(await sendAll(gateway.port, gets(4))).toContain(204)
  })

  it('returns 503 while neither endpoint can be reached', async () => {
    const ports = [await findClosedPort(), await findClosedPort()]
    const gateway = await startPoolGateway(
      ports.map((port) => `http://127.0.0.1:${port}`),
      fast,
    )
    onTestFinished(() => gateway.close())
    expect(await sendAll(gateway.port, posts(3))).toEqual(all(503, 3))
    expect(await gateway.transport.readCoreState()).toBe('down')
  })

  it('returns errors for at most five seconds when an endpoint hangs', { timeout: 40_000 }, async () => {
    const hanging = createHangingReplies()
    const { first, second, gateway, port } = await start([hanging.reply, replyOk], {
      retryable: true,
      timeoutMs: 8000,
      checkIntervalMs: 1000,
    })
    const traffic = startTraffic(port, 8)
    await until(() => traffic.served.length > 20)
    const hungAt = performance.now()
    hanging.setHanging(true)
    await until(() => isAvailable(gateway, first) === false)
    await new Promise((resolve) => setTimeout(resolve, 6000))
    await traffic.stop()
    const errors = traffic.served.filter(({ status }) => status !== 200)
    expect(errors.filter(({ sentAt }) => sentAt - hungAt > 5000)).toEqual([])
    const late = traffic.served.filter(({ sentAt }) => sentAt - hungAt > 5000)
    expect(late.length).toBeGreaterThan(10)
    const writes = [...first.requests, ...second.requests].filter(({ method }) => method === 'POST')
    expect(new Set(writes.map(({ target }) => target)).size).toBe(writes.length)
  })

  it('moves a read to the other endpoint even if no other request waits for the hanging one', {
    timeout: 20_000,
  }, async () => {
    const hanging = createHangingReplies()
    hanging.setHanging(true)
    const { port } = await start([hanging.reply, replyOk], {
      retryable: true,
      timeoutMs: 15_000,
      checkIntervalMs: 60_000,
    })
    const startedAt = performance.now()
    expect(await sendAll(port, gets(2))).toEqual([200, 200])
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
})

describe('a host name with several addresses', () => {
  const startNamed = async () => {
    const core = await startRawCore()
    const { port } = core
    let addresses: readonly string[] = ['127.0.0.1', '127.0.0.2']
    const changes: (readonly string[])[] = []
    const gateway = await startPoolGateway([`http://core.test:${port}`], {
      ...fast,
      resolve: async () => addresses,
      resolveIntervalMs: 50,
      onChanged: (names) => changes.push(names),
    })
    onTestFinished(async () => {
      await gateway.close()
      await core.close()
    })
    const setAddresses = (given: readonly string[]) => {
      addresses = given
    }
    const names = () => gateway.transport.endpoints().map(({ name }) => name)
    return { core, port, gateway, changes, setAddresses, names }
  }

  it('has an endpoint for each address, and requests carry the name in the Host header', async () => {
    const { core, port, gateway, changes, names } = await startNamed()
    await until(() => changes.length === 1)
    // The core listens only on the first address.
    expect(names()).toEqual([`127.0.0.1:${port}`, `127.0.0.2:${port}`])
    expect(await sendAll(gateway.port, gets(6))).toEqual(all(200, 6))
    const hosts = core.requests.map(
      ({ headers }) => headers.find(([name]) => name.toLowerCase() === 'host')?.[1],
    )
    expect(new Set(hosts)).toEqual(new Set([`core.test:${port}`]))
  })

  it('gets new endpoints when its addresses change', async () => {
    const { port, changes, setAddresses, names } = await startNamed()
    await until(() => changes.length === 1)
    setAddresses(['127.0.0.1', '127.0.0.3'])
    await until(() => changes.length === 2)
    expect(names()).toEqual([`127.0.0.1:${port}`, `127.0.0.3:${port}`])
  })

  it('keeps its endpoints while it does not resolve', async () => {
    const { changes, setAddresses, names } = await startNamed()
    await until(() => changes.length === 1)
    const known = names()
    setAddresses([])
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(names()).toEqual(known)
  })

  it('is a single endpoint if it has one IPv4 and one IPv6 address', async () => {
    const { changes, port, setAddresses, names } = await startNamed()
    await until(() => changes.length === 1)
    setAddresses(['127.0.0.1', '::1'])
    await until(() => changes.length === 2)
    expect(names()).toEqual([`core.test:${port}`])
  })
})
