import { describe, expect, it } from 'vitest'
import { createAskCore } from '#gateway/comparisons/ask-core.ts'
import type { AskOutcome } from '#proxy/core-response.ts'
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

describe('requests of the gateway itself to the core', () => {
  it('are sent at a distance, also after this process was busy', async () => {
    const { askCore, sentAt } = open(20)
    const responses = Array.from({ length: 6 }, () => askCore(received))
    const busyUntil = performance.now() + 100
    while (performance.now() < busyUntil);
    expect(await Promise.all(responses)).toHaveLength(6)
    const distances = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0))
    // The first use of a function takes some milliseconds.
    for (const distance of distances) expect(distance).toBeGreaterThan(10)
  })

  it('are not sent if the core has become slow while they waited', async () => {
    let isSlow = false
    const { askCore, sentAt } = open(10, () => !isSlow)
    const responses = [askCore(received), askCore(received)]
    await responses[0]
    isSlow = true
    expect(await Promise.all(responses)).toEqual([expect.objectContaining({ status: 200 }), null])
    expect(sentAt).toHaveLength(1)
  })
})
