import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { type RedisServer, startRedisServer } from '#test/support/redis-server.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { type GatewayUnderTest, startGatewaysUnderTest } from './gateway-under-test.ts'
import { expectAsDocumented } from './observe-fault.ts'

const harness = startTestGateway({ core: 'sandbox', storage: true })

const followReadiness = (gateways: readonly GatewayUnderTest[]) => {
  let ready = gateways.map(({ url }) => url)
  const ended = new AbortController()
  const follow = async () => {
    while (!ended.signal.aborted) {
      const answers = await Promise.all(
        gateways.map(({ url }) =>
          fetch(`${url}/readyz`, { signal: AbortSignal.timeout(500) }).then(
            ({ ok }) => (ok ? [url] : []),
            () => [],
          ),
        ),
      )
      if (answers.flat().length > 0) ready = answers.flat()
      await sleep(100)
    }
  }
  void follow()
  return { urls: () => ready, end: () => ended.abort() }
}

describe('faults of one of two gateways', () => {
  for (const [name, signal] of [
    ['A gateway is shut down', 'SIGTERM'],
    ['A gateway is killed', 'SIGKILL'],
    ['A gateway is paused', 'SIGSTOP'],
  ] as const)
    describe(signal, () => {
      const { gateways, probes } = startGatewaysUnderTest(harness, { environment: () => ({}), instances: 2 })

      it(name, async () => {
        const { urls, end } = followReadiness(gateways)
        await expectAsDocumented(name, {
          urls,
          probes: probes(),
          begin: () => gateways[0]!.child.kill(signal),
          forMs: 4000,
          end: () => gateways[0]!.child.kill('SIGCONT'),
        })
        end()
      })
    })
})

describe("faults of a gateway's machine", () => {
  describe('with few file descriptors', () => {
    const { gateways, probes } = startGatewaysUnderTest(harness, {
      environment: () => ({}),
      shell: 'ulimit -n 300; exec "$0" "$@"',
    })

    it('Open connections exhaust the file descriptors', async ({ task }) => {
      const sockets: Socket[] = []
      let refused = 0
      await expectAsDocumented(task.name, {
        urls: () => gateways.map(({ url }) => url),
        probes: probes(),
        begin: () => {
          const { port, hostname } = new URL(gateways[0]!.url)
          for (let count = 0; count < 400; count++)
            sockets.push(connect(Number(port), hostname).on('error', () => undefined))
        },
        forMs: 3000,
        end: () => {
          refused = sockets.filter(({ closed }) => closed).length
          for (const socket of sockets) socket.destroy()
        },
      })
      // 400 connections share 300 file descriptors, a quarter of them reserved, so at most 225 fit.
      expect(refused).toBeGreaterThanOrEqual(175)
    })
  })

  describe('with a full disk', () => {
    const { gateways, probes } = startGatewaysUnderTest(harness, {
      environment: () => ({ LOG_LEVEL: 'info' }),
      shell: 'exec "$0" "$@" >/dev/full',
    })

    it("The log's disk is full", ({ task }) =>
      expectAsDocumented(task.name, {
        urls: () => gateways.map(({ url }) => url),
        probes: probes(),
        begin: () => undefined,
        forMs: 3000,
        end: () => undefined,
      }))
  })
})

describe('faults of other services', () => {
  let redis: RedisServer
  let redisProxy: FaultProxy
  let issuer: FaultProxy
  let store: FaultProxy
  beforeAll(async () => {
    redis = await startRedisServer()
    redisProxy = await startFaultProxy(redis.url)
    issuer = await startFaultProxy(harness.environment.AUTH_JWKS_URL ?? '')
    store = await startFaultProxy(harness.environment.STORAGE_ENDPOINT ?? '')
  })
  afterAll(async () => {
    await Promise.all([redisProxy, issuer, store].map((proxy) => proxy.close()))
    await redis.stop()
  })
  const { gateways, probes } = startGatewaysUnderTest(harness, {
    environment: () => ({
      REDIS_URL: redisProxy.url,
      AUTH_JWKS_URL: issuer.url,
      STORAGE_ENDPOINT: store.url,
    }),
  })
  const observe = (name: string, proxy: FaultProxy, begin: () => unknown, end = () => proxy.mend()) =>
    expectAsDocumented(name, {
      urls: () => gateways.map(({ url }) => url),
      probes: probes(),
      begin,
      forMs: 4000,
      end,
    })

  it('Redis restarts', ({ task }) =>
    observe(
      task.name,
      redisProxy,
      async () => {
        redis.child.kill('SIGKILL')
        await once(redis.child, 'exit')
      },
      async () => {
        redis = await startRedisServer(redis)
      },
    ))
  it('Redis hangs', ({ task }) => observe(task.name, redisProxy, () => redisProxy.hang()))
  it('The token issuer cannot be reached', ({ task }) => observe(task.name, issuer, () => issuer.refuse()))
  it('The object store hangs', ({ task }) => observe(task.name, store, () => store.hang()))
})
