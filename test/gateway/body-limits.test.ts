import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import { errorBody } from '#test/support/error-body.ts'
import { progressLimits } from '#test/support/progress-limits.ts'
import { expectBusy, type RequestTarget, startBodyGateway, unmatched } from './body-gateway.ts'

// All requests come from one client, and one client may use only half of the budget.
const totalBytes = 100_000
const budget = createBodyBudget(2 * totalBytes)
const { gateway, expectUsed, startBody, targetOf } = startBodyGateway(budget, {
  bodyProgress: progressLimits({ pauseTimeoutMs: 400, gracePeriodMs: 400 }),
  environment: { BODY_TIMEOUT_MS: '600' },
})

describe('bodies that stop arriving', () => {
  it.each<[kind: string, target: () => Promise<RequestTarget>]>([
    ['a forwarded route', () => targetOf('tracks.create')],
    ['an unmatched path', async () => unmatched],
    ['a native route', () => targetOf('libraries.create')],
    ['a webhook', () => targetOf('webhooks.links')],
  ])('get 408 if they fit in the body budget or 503 if not, then free their share: %s', async (_, target) => {
    const [stalled, other] = [await target(), await targetOf('libraries.create')]
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () =>
        (await startBody(stalled, 10_001, 'x'.repeat(10_000))).receiveResponse(),
      ),
    ).then((responses) => responses.map(({ status }) => status).sort())
    // Only bytes that have arrived count, so ten bodies fit into the budget and end with a timeout.
    expect(statuses).toEqual([
      ...Array.from({ length: 10 }, () => 408),
      ...Array.from({ length: 20 }, () => 503),
    ])
    await expectUsed(0)
    const body = JSON.stringify({ name: crypto.randomUUID() })
    const client = await startBody(other, body.length, body)
    expect((await client.receiveResponse()).status).toBe(201)
  })

  it('get 408 after the pause timeout, and the next request is then accepted', async () => {
    const stalled = await Promise.all(
      Array.from({ length: 10 }, () => startBody(unmatched, 10_001, 'x'.repeat(10_000))),
    )
    await expectUsed(totalBytes)
    const body = JSON.stringify({ name: crypto.randomUUID() })
    const send = async () => {
      const client = await startBody(await targetOf('libraries.create'), body.length, body)
      return client.receiveResponse()
    }
    expectBusy(await send(), 'libraries.create')
    expect(await Promise.all(stalled.map(async (client) => (await client.receiveResponse()).status))).toEqual(
      stalled.map(() => 408),
    )
    expect((await send()).status).toBe(201)
  })
})

describe('the body budget after many requests that end in different ways', () => {
  // The sequence is the same in each run, so failures are reproducible.
  let seed = 7
  const random = (limit: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((seed / 2 ** 32) * limit)
  }

  const largestBytes = 40_000
  const endings: readonly ((target: RequestTarget) => Promise<unknown>)[] = [
    // In this order: complete, above the body limit, disconnected, stalled, reset, disconnected midway.
    async (target) => (await startBody(target, 9000, `{"name":"${'x'.repeat(8989)}"}`)).receiveResponse(),
    async (target) => (await startBody(target, largestBytes, 'x'.repeat(largestBytes))).receiveResponse(),
    async (target) => (await startBody(target, 2_000_000, 'x'.repeat(100))).socket.destroy(),
    async (target) => (await startBody(target, 5000, 'x'.repeat(4000))).receiveResponse(),
    async (target) => (await startBody(target, 5000, 'x'.repeat(4000))).socket.resetAndDestroy(),
    async (target) => {
      const client = await startBody(target, 30_000, 'x'.repeat(20_000))
      await new Promise((resolve) => setTimeout(resolve, random(20)))
      client.send('x'.repeat(10_000))
      client.socket.destroy()
    },
  ]

  it('is completely free again, and the next request is served', async () => {
    const names: readonly Label[] = [
      'tracks.create',
      'libraries.create',
      'libraries.tracks.add',
      'tracks.metadata.update',
      'webhooks.billing',
      'media-intelligence.callback',
    ]
    const targets = [unmatched, ...(await Promise.all(names.map(targetOf)))]
    const sendRandom = async () => {
      const target = targets[random(targets.length)] ?? unmatched
      await endings[random(endings.length)]?.(target)
      // The last bytes to be admitted may take the client over its share, by half of their size at most.
      expect(budget.usedBytes).toBeLessThanOrEqual(totalBytes + largestBytes / 2)
    }
    for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 25 }, sendRandom))
    await expectUsed(0)
    // The recording core returns 200 for every path.
    expect((await gateway.request('POST', '/v1/no-such-thing', { body: {} })).status).toBe(200)
  })
})

describe('a body that arrives slowly without pausing', () => {
  const name = () => crypto.randomUUID()

  const sendSlowly = async (target: RequestTarget, body: string, durationMs: number) => {
    const client = await startBody(target, body.length, '')
    const chunkBytes = Math.ceil(body.length / (durationMs / 50))
    let sentBytes = 0
    const interval = setInterval(() => {
      client.send(body.slice(sentBytes, sentBytes + chunkBytes))
      sentBytes += chunkBytes
    }, 50)
    const response = await client.receiveResponse()
    clearInterval(interval)
    return response
  }

  it.each<[kind: string, label: Label]>([
    ['a native route', 'libraries.update'],
    ['a webhook', 'webhooks.billing'],
  ])('is rejected with 408 after BODY_TIMEOUT_MS without running the handler: %s', async (_, label) => {
    const target = await targetOf(label)
    const rejectedName = name()
    const response = await sendSlowly(
      target,
      JSON.stringify({ name: rejectedName, pad: 'x'.repeat(8000) }),
      2000,
    )
    expect([response.status, JSON.parse(response.body)]).toEqual([408, errorBody('request_timeout')])
    expect(response.header('x-service-core-runtime')).toBe('native')
    const rows = await gateway.database.sql`select 1 from libraries where name = ${rejectedName}`
    expect(rows).toHaveLength(0)
  })

  it('is forwarded even if it takes longer than BODY_TIMEOUT_MS', async () => {
    const response = await sendSlowly(unmatched, 'x'.repeat(8000), 1000)
    expect([response.status, response.header('x-service-core-runtime')]).toEqual([200, 'proxy'])
  })

  it('is rejected with 408 when its average rate is too low', async () => {
    const response = await sendSlowly(unmatched, 'x'.repeat(100), 2000)
    expect([response.status, JSON.parse(response.body)]).toEqual([408, errorBody('request_timeout')])
    expect(response.header('x-service-core-runtime')).toBe('native')
  })
})
