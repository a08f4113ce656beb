import { describe, expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { createAskBudget, createAskCore } from '#migration/live/ask-core.ts'
import type { AskOutcome } from '#proxy/core-response.ts'
import { createRandom } from '#test/support/random.ts'
import { received } from './received.ts'

const completed: AskOutcome = {
  kind: 'completed',
  response: { status: 200, headers: [], body: Buffer.from('{}'), timeToHeadMs: 1, durationMs: 1 },
}

const open = (distanceMs: number, mayAsk = () => true) => {
  const sentAt: number[] = []
  const askCore = createAskCore({
    distanceMs,
    transport: {
      mayAsk,
      ask: async ({ isShadow }) => {
        sentAt.push(performance.now())
        expect(isShadow).toBe(true)
        return completed
      },
    },
  })
  return { askCore, sentAt }
}

describe("the gateway's own requests to the core", () => {
  it('are spaced out, even after this process was busy', async () => {
    const { askCore, sentAt } = open(20)
    const responses = Array.from({ length: 6 }, () => askCore(received))
    const busyUntil = performance.now() + 100
    while (performance.now() < busyUntil);
    expect(await Promise.all(responses)).toHaveLength(6)
    const distances = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0))
    // Requires only half the interval, because a function's first call takes a few milliseconds.
    for (const distance of distances) expect(distance).toBeGreaterThan(10)
  })

  it('are not sent if the core became slow while they waited', async () => {
    let isSlow = false
    const { askCore, sentAt } = open(10, () => !isSlow)
    const responses = [askCore(received), askCore(received)]
    await responses[0]
    isSlow = true
    expect(await Promise.all(responses)).toEqual([expect.objectContaining({ status: 200 }), null])
    expect(sentAt).toHaveLength(1)
  })
})

const startBudget = () => {
  const clock = { now: 0 }
  return { clock, budget: createAskBudget(() => clock.now) }
}

describe('the budget for requests to the core', () => {
  it('permits one request per second for each route', () => {
    const { clock, budget } = startBudget()
    expect([budget.take('tracks.list', 1), budget.take('tracks.list', 1)]).toEqual([true, false])
    clock.now = 999
    expect(budget.take('tracks.list', 1)).toBe(false)
    clock.now = 1000
    expect(budget.take('tracks.list', 1)).toBe(true)
  })

  it('lets a confirmation send two requests at once, and then pauses the route for two seconds', () => {
    const { clock, budget } = startBudget()
    expect(budget.take('tracks.list', 2, true)).toBe(true)
    clock.now = 1999
    expect(budget.take('tracks.list', 1)).toBe(false)
    expect(budget.take('packs.list', 1)).toBe(true)
    clock.now = 2000
    expect(budget.take('tracks.list', 1)).toBe(true)
  })

  it('lets a confirmation immediately follow a request, and then pauses the route for three seconds', () => {
    const { clock, budget } = startBudget()
    expect([budget.take('tracks.list', 1), budget.take('tracks.list', 2, true)]).toEqual([true, true])
    clock.now = 2999
    expect(budget.take('tracks.list', 1)).toBe(false)
    clock.now = 3000
    expect(budget.take('tracks.list', 1)).toBe(true)
  })

  it('permits either all requests of a call or none', () => {
    const { clock, budget } = startBudget()
    expect(budget.take('tracks.list', 1) && budget.take('packs.list', 2, true)).toBe(true)
    expect(budget.take('tracks.detail', 2, true)).toBe(false)
    clock.now = 1000
    expect(budget.take('tracks.detail', 2, true)).toBe(true)
  })

  it('always has room for a confirmation, however often other routes ask', () => {
    const { clock, budget } = startBudget()
    const asked: string[] = []
    for (; clock.now < 10_000; clock.now += 10) {
      for (const label of labels) if (budget.take(label, 1)) asked.push(label)
      if (clock.now % 1000 === 990) expect(budget.take('tracks.list', 2, true)).toBe(true)
    }
    expect(asked).toHaveLength(20)
  })

  it('never exceeds its limits within any second of a random schedule, and makes full use of them', () => {
    const random = createRandom(17)
    const { clock, budget } = startBudget()
    const sent: { at: number; label: string; requests: number }[] = []
    const durationMs = 600_000
    while (clock.now < durationMs) {
      clock.now += random() < 0.01 ? 3000 * random() : 40 * random()
      const label = labels[Math.floor(random() * 8)] ?? 'tracks.list'
      const requests = random() < 0.2 ? 2 : 1
      if (budget.take(label, requests, requests === 2)) sent.push({ at: clock.now, label, requests })
    }
    const total = sent.reduce((sum, { requests }) => sum + requests, 0)
    expect(total).toBeGreaterThan((durationMs / 1000) * 2)
    // Otherwise requests would wait for longer and longer until they are sent, one every 240 ms.
    expect(total).toBeLessThan(durationMs / 240)
    for (const [index, { at, label }] of sent.entries()) {
      const second = sent.slice(index).filter((other) => other.at - at < 1000)
      expect(second.reduce((sum, { requests }) => sum + requests, 0)).toBeLessThanOrEqual(4)
      const ofRoute = second.filter((other) => other.label === label && other.requests === 1)
      expect(ofRoute.length).toBeLessThanOrEqual(1)
    }
    for (const label of new Set(sent.map((each) => each.label))) {
      const ofRoute = sent.filter((each) => each.label === label)
      const requests = ofRoute.reduce((sum, each) => sum + each.requests, 0)
      expect(requests).toBeLessThanOrEqual(durationMs / 1000 + 2)
    }
  })
})
