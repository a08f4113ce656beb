import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { startGatewaysUnderTest } from './gateway-under-test.ts'
import { expectAsDocumented } from './observe-fault.ts'

const harness = startTestGateway({ core: 'sandbox' })

/** Starts a gateway with `count` core endpoints. Returns a function that observes a fault of the first endpoint. */
const startWithEndpoints = (count: number) => {
  const cores: FaultProxy[] = []
  beforeAll(async () => {
    const { CORE_BASE_URL = '' } = harness.environment
    for (let index = 0; index < count; index++) cores.push(await startFaultProxy(CORE_BASE_URL))
  })
  afterAll(() => Promise.all(cores.map((core) => core.close())))
  const { gateways, probes } = startGatewaysUnderTest(harness, {
    environment: () => ({ CORE_BASE_URL: cores.map(({ url }) => url).join() }),
  })
  return (name: string, forMs: number, begin: (core: FaultProxy) => unknown) =>
    expectAsDocumented(name, {
      urls: () => gateways.map(({ url }) => url),
      probes: probes(),
      begin: () => begin(cores[0]!),
      forMs,
      end: () => cores[0]!.mend(),
    })
}

const comeAndGo = async (core: FaultProxy) => {
  for (let times = 0; times < 3; times++) {
    await core.refuse()
    await sleep(700)
    await core.mend()
    await sleep(700)
  }
}

describe('faults of a core with one endpoint', () => {
  const observe = startWithEndpoints(1)

  it('The core restarts', ({ task }) => observe(task.name, 3000, (core) => core.refuse()))
  it('The core hangs', ({ task }) => observe(task.name, 8000, (core) => core.hang()))
  it('The core is slow', ({ task }) => observe(task.name, 5000, (core) => core.delay(400)))
  it('The core comes and goes', ({ task }) => observe(task.name, 0, comeAndGo))
})

describe('faults of a core with two endpoints', () => {
  const observe = startWithEndpoints(2)

  it('One of two endpoints dies', ({ task }) => observe(task.name, 4000, (core) => core.refuse()))
  it('One of two endpoints hangs', ({ task }) => observe(task.name, 8000, (core) => core.hang()))
  it('One of two endpoints comes and goes', ({ task }) => observe(task.name, 0, comeAndGo))
})
