import { describe, expect, it } from 'vitest'
import { createMismatchParameters, observeComparisons } from '#migration/model/gate/evidence-set.ts'
import { createCusumStream } from '#migration/model/stop/cusum.ts'
import { createRandom } from '#test/support/random.ts'
import { simulatePromotions } from './simulate-gate.ts'

const runs = 4000

describe('4,000 simulated routes', () => {
  it.each([1, 10, 25])(
    'pass at most 5 % of the time with 0.5 % wrong responses, in batches of %d',
    (batch) => {
      const share = simulatePromotions(runs, 0.005, batch).passed / runs
      expect(share).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs))
      expect(share).toBeGreaterThan(0.02)
    },
  )

  it.each([0.006, 0.01, 0.1])('pass less often if a share of %d of the responses is wrong', (rate) => {
    expect(simulatePromotions(runs, rate).passed).toBeLessThan(simulatePromotions(runs, 0.005).passed)
  })

  it.each([1, 10, 25])(
    'pass at least 93 % of the time with 0.05 % wrong responses, in batches of %d',
    (batch) => {
      expect(simulatePromotions(runs, 0.0005, batch).passed / runs).toBeGreaterThanOrEqual(0.93)
    },
  )

  it('raise no alarm in 10,000,000 comparisons with 0.025 % wrong responses, which is half the good rate', () => {
    const [stream, random, parameters] = [createCusumStream(), createRandom(1), createMismatchParameters()]
    let alarms = 0
    for (let count = 0; count < 10_000_000; count += 1) {
      const compared = { comparisons: 1, regressions: random() < 0.00025 ? 1 : 0, critical: 0 }
      if (observeComparisons(stream, parameters, compared) !== null) alarms += 1
    }
    expect(alarms).toBe(0)
  })
})
