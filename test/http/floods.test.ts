import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createAbuseEnvironment } from './abuse-gateway.ts'
import { flooding } from './abuse-scale.ts'
import { type FloodName, floods, startFlood } from './floods.ts'
import { sendEveryKind } from './honest-client.ts'

const environment = createAbuseEnvironment()
const { connections, roundCount, isTimed } = flooding

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

const floodNames = Object.keys(floods) as FloodName[]

const measure = async (flood: FloodName) => {
  const gateway = await environment.startGateway()
  const { port } = gateway
  const honest = { port, token: environment.token, localAddress: '127.0.0.2', timeoutMs: 30_000 }
  // Makes the gateway open its database connections and load what it loads only on first use.
  const failures = [...(await sendEveryKind(honest)).failures]
  const durationsMs: number[] = []
  const flooder = await startFlood({ flood, port, connections, localAddress: '127.0.0.1' })
  try {
    for (let round = 0; round < roundCount; round++) {
      const result = await sendEveryKind(honest)
      failures.push(...result.failures)
      durationsMs.push(...result.durationsMs)
      await sleep(50)
    }
  } finally {
    await flooder.stop()
  }
  const { peak: peakMb } = await gateway.memoryMb()
  expect(gateway.hasExited()).toBe(false)
  gateway.sendSigterm()
  expect(await gateway.exited).toBe(0)
  expect(await gateway.errorLines()).toEqual([])
  return { failures: [...new Set(failures)], p99Ms: percentile(durationsMs, 0.99), peakMb }
}

describe(`one client that floods the gateway on ${connections} connections`, () => {
  it.each(floodNames)(
    "does not stop another client's requests from being served: %s",
    { timeout: 180_000 },
    async (flood) => {
      const { failures, p99Ms, peakMb } = await measure(flood)
      expect(failures).toEqual([])
      if (!isTimed) return
      expect.soft(p99Ms).toBeLessThan(500)
      expect(peakMb).toBeLessThan(512)
    },
  )
})
