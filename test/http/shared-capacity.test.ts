import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createAbuseEnvironment } from './abuse-gateway.ts'
import { capacity } from './abuse-scale.ts'
import { startAbusers } from './capacity-abusers.ts'
import { sendEveryKind } from './honest-client.ts'

const environment = createAbuseEnvironment()
const { connections, roundCount } = capacity

const listAddresses = (count: number) =>
  Array.from({ length: count }, (_, index) => `127.0.${1 + Math.floor(index / 200)}.${1 + (index % 200)}`)

const findFailures = async (addressCount: number) => {
  const gateway = await environment.startGateway()
  const { port } = gateway
  const abusers = startAbusers({ port, connections, addresses: listAddresses(addressCount) })
  const honest = { port, token: environment.token, localAddress: '127.0.9.1', timeoutMs: 30_000 }
  const failures: string[] = []
  try {
    // Waits until bodies are dripping, responses are stuck, and the core is holding its requests.
    await sleep(2000)
    for (let round = 0; round < roundCount; round++) {
      failures.push(...(await sendEveryKind(honest)).failures)
      await sleep(500)
    }
    expect(abusers.open()).toBeGreaterThan(0)
    expect(gateway.hasExited()).toBe(false)
  } finally {
    await abusers.stop()
  }
  gateway.sendSigterm()
  expect(await gateway.exited).toBe(0)
  return [...new Set(failures)]
}

describe(`${connections} connections of each kind of abuse`, () => {
  it("from three addresses make no other client's request fail", {
    timeout: 180_000,
  }, async () => {
    expect(await findFailures(3)).toEqual([])
  })

  it("from 300 addresses make only uploads and the slow readers' route fail for other clients", {
    timeout: 180_000,
  }, async () => {
    const denied = ['upload', 'upload in chunks', "read of the slow readers' route"]
    const failures = await findFailures(300)
    expect(failures.filter((failure) => !denied.some((name) => failure === `${name}: 503 proxy`))).toEqual([])
  })
})
