import { describe, expect, it } from 'vitest'
import { createMismatchParameters, observeComparisons } from '#migration/model/gate/evidence-set.ts'
import { createCusumStream } from '#migration/model/stop/cusum.ts'
import { medianOf, simulate } from '../stop/simulate.ts'
import { compareUntilAlarm } from './simulate-gate.ts'

const parameters = createMismatchParameters()

describe('the mismatch alarm', () => {
  it.each([
    { percent: 100, within: 10, median: [6, 6] },
    { percent: 10, within: 150, median: [50, 64] },
    { percent: 1, within: 2000, median: [680, 820] },
  ])(
    'stops a route with $percent % wrong responses within $within comparisons in 95 of 100 runs',
    (route) => {
      const counts = simulate(100, (random) => compareUntilAlarm(random, route.percent / 100))
      expect(counts.filter((count) => count <= route.within).length).toBeGreaterThanOrEqual(95)
      const median = medianOf(simulate(501, (random) => compareUntilAlarm(random, route.percent / 100)))
      expect(median).toBeGreaterThanOrEqual(route.median[0] ?? 0)
      expect(median).toBeLessThanOrEqual(route.median[1] ?? 0)
    },
  )

  it('stops a route at the first leak', () => {
    const leak = { comparisons: 1, regressions: 0, critical: 1 }
    expect(observeComparisons(createCusumStream(), parameters, leak)).toBe('critical')
  })
})
