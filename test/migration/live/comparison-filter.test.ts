import { describe, expect, it } from 'vitest'
import { createComparisonFilter } from '#migration/live/comparison-filter.ts'

const createFilter = (options: { minuteMs?: number; capacity?: number } = {}) => {
  const clock = { now: 1_800_000_000_000 }
  return { clock, filter: createComparisonFilter({ secret: 'secret', now: () => clock.now, ...options }) }
}

describe('a comparison filter', () => {
  it('lets one comparison per credential and path through each minute', () => {
    const { clock, filter } = createFilter()
    const results = Array.from({ length: 60 }, () => {
      clock.now += 1000
      return filter.count('token', '/v1/tracks')
    })
    expect(results.filter((counts) => counts)).toHaveLength(2)
    expect(results.indexOf(true, 1)).toBe(results.lastIndexOf(true))
  })

  it('distinguishes credentials, paths and requests without a credential', () => {
    const { filter } = createFilter()
    const requests = [
      ['a', '/v1/tracks'],
      ['b', '/v1/tracks'],
      ['a', '/v1/packs'],
      [null, '/v1/tracks'],
    ] as const
    expect(requests.map(([credential, path]) => filter.count(credential, path))).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(requests.map(([credential, path]) => filter.count(credential, path))).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  it('lets nothing through once it is full, until the next minute', () => {
    const { clock, filter } = createFilter({ capacity: 3, minuteMs: 100 })
    const countAll = () => [1, 2, 3, 4, 5].map((index) => filter.count(`token ${index}`, '/v1/tracks'))
    expect(countAll()).toEqual([true, true, true, false, false])
    clock.now += 100
    expect(countAll()).toEqual([true, true, true, false, false])
  })
})
