import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairShares } from '#proxy/fair-shares.ts'

const fill = (shares: FairShares, key: string) => {
  while (shares.admits(key)) shares.acquire(key)
  return shares.usedBy(key)
}

describe('FairShares', () => {
  it('lets one key use half of the capacity, the next one a quarter, and so on', () => {
    const shares = new FairShares(256)
    expect(['a', 'b', 'c', 'd'].map((key) => fill(shares, key))).toEqual([128, 64, 32, 16])
    expect(fill(shares, 'a')).toBe(128)
  })

  it('lets a key use up to half while nothing else is in use', () => {
    const shares = new FairShares(100)
    shares.acquire('a', 40)
    expect(shares.admits('a', 10)).toBe(true)
    shares.acquire('a', 10)
    expect(shares.admits('a')).toBe(false)
    expect(shares.admits('b')).toBe(true)
    shares.release('a', 1)
    expect(shares.admits('a')).toBe(true)
  })

  it('lets many keys with small shares use the whole capacity together', () => {
    const shares = new FairShares(100)
    for (let key = 0; key < 100; key++) expect(fill(shares, `${key}`) > 0 || shares.used === 100).toBe(true)
    expect(shares.used).toBe(100)
    expect(shares.admits('new')).toBe(false)
  })

  it('never exceeds its capacity, admits a new key while anything is free, and forgets released uses', () => {
    const step = fc.record({
      key: fc.nat({ max: 9 }),
      amount: fc.integer({ min: 1, max: 20 }),
      add: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const shares = new FairShares(64)
        const held: [key: string, amount: number][] = []
        for (const { key, amount, add } of steps) {
          if (!add) {
            const [released] = held.splice(key, 1)
            if (released) shares.release(...released)
          } else if (shares.admits(`${key}`, amount)) {
            shares.acquire(`${key}`, amount)
            held.push([`${key}`, amount])
          }
          expect(shares.used).toBe(held.reduce((sum, [, units]) => sum + units, 0))
          expect(shares.used).toBeLessThanOrEqual(64)
          expect(shares.admits('new')).toBe(shares.used < 64)
        }
        for (const released of held) shares.release(...released)
        expect([shares.used, fill(shares, 'a')]).toEqual([0, 32])
      }),
    )
  })

  it('reports a key that exceeds its share and holds over 80 % of what is in use', () => {
    let reports = 0
    const shares = new FairShares(100, () => {
      reports += 1
    })
    shares.acquire('other', 10)
    fill(shares, 'a')
    expect(reports).toBe(1)
    shares.acquire('other', 10)
    fill(shares, 'a')
    expect(reports).toBe(1)
  })
})
