import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  AccountSample,
  addAccount,
  estimateAccounts,
  hashAccount,
  mergeAccountSamples,
} from '#migration/model/gate/account-sample.ts'

const sampleOf = (accounts: readonly string[], secret = 'secret') =>
  mergeAccountSamples([accounts.map((account) => hashAccount(secret, account))])

const accountsOf = (count: number) => Array.from({ length: count }, (_, index) => `acct_${index}`)

describe('an account sample', () => {
  it('counts fewer than 64 accounts exactly', () => {
    for (const count of [0, 1, 19, 20, 63])
      expect(estimateAccounts(sampleOf([...accountsOf(count), ...accountsOf(count)]))).toBe(count)
  })

  it('estimates 400 accounts within four standard errors, for each of 20 secrets', () => {
    const estimates = Array.from({ length: 20 }, (_, secret) =>
      estimateAccounts(sampleOf(accountsOf(400), `secret ${secret}`)),
    )
    expect(Math.min(...estimates)).toBeGreaterThan(400 * (1 - 4 * 0.13))
    expect(Math.max(...estimates)).toBeLessThan(400 * (1 + 4 * 0.13))
    const mean = estimates.reduce((sum, estimate) => sum + estimate, 0) / estimates.length
    expect(Math.abs(mean - 400)).toBeLessThan(4 * 12)
  })

  it("does not depend on how often the instances' samples are merged, or in what order", () => {
    const accounts = fc.array(fc.nat({ max: 300 }), { maxLength: 150 })
    const samples = fc.array(
      accounts.map((ids) => sampleOf(ids.map(String))),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(samples, (instances) => {
        const merged = mergeAccountSamples(instances)
        expect(mergeAccountSamples([...instances].reverse())).toEqual(merged)
        expect(mergeAccountSamples([merged, ...instances])).toEqual(merged)
        expect(AccountSample.parse(JSON.parse(JSON.stringify(merged)))).toEqual(merged)
      }),
      { numRuns: 50 },
    )
  })

  it('contains each added account once, and at most 64 accounts', () => {
    const added = accountsOf(200).reduce<readonly string[]>(
      (sample, account) =>
        addAccount(addAccount(sample, hashAccount('secret', account)), hashAccount('secret', account)),
      [],
    )
    expect(added).toEqual(sampleOf(accountsOf(200)))
    expect(JSON.stringify(added)).toHaveLength(1217)
  })
})
