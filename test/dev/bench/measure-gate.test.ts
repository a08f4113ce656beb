import { describe, expect, it } from 'vitest'
import { simulateClusteredFaults } from '#dev/bench/measure-gate.ts'
import { defaultGateLimits } from '#migration/model/gate/gate-input.ts'

const { minAccounts } = defaultGateLimits
const runs = 400
/** 5 % of the runs, plus three standard errors. */
const mostPassed = runs * 0.05 + 3 * Math.sqrt(runs * 0.05 * 0.95)

describe('a route that native serves wrongly to one account in 20', () => {
  it.each(['all alike', 'Zipf', 'the busiest 10 have 90 %', 'one after the other, 33 votes each'] as const)(
    'passes the gate in at most 5 % of runs with the traffic "%s"',
    (traffic) => {
      for (const accounts of [40, 300]) {
        const simulated = { traffic, accounts, brokenFraction: 0.05, minAccounts: [minAccounts], runs }
        expect(simulateClusteredFaults(simulated).get(minAccounts)).toBeLessThan(mostPassed)
      }
    },
  )

  it('would pass more often if the gate required only 20 accounts', () => {
    const traffic = 'one after the other, 33 votes each'
    const simulated = { traffic, accounts: 300, brokenFraction: 0.05, minAccounts: [20], runs } as const
    expect(simulateClusteredFaults(simulated).get(20)).toBeGreaterThan(2 * mostPassed)
  })
})
