import { describe, expect, it } from 'vitest'
import { sharePool } from '#gateway/node/open/pool-share.ts'

describe('the share of a process in the pool', () => {
  it.each([
    { size: 10, processes: 1, share: 10 },
    { size: 10, processes: 2, share: 5 },
    { size: 40, processes: 3, share: 14 },
    { size: 10, processes: 4, share: 4 },
    { size: 10, processes: 256, share: 4 },
    { size: 3, processes: 2, share: 3 },
    { size: 2, processes: 1, share: 2 },
  ])('is $share of $size with $processes processes', ({ size, processes, share }) => {
    expect(sharePool(size, processes)).toBe(share)
  })
})
