import { expect, it } from 'vitest'
import { createAttemptLimit } from '#gateway/comparisons/attempt-limit.ts'

it('permits as many attempts as fit into each second, and asking for room takes none', () => {
  let nowMs = 5200
  const limit = createAttemptLimit(2, () => nowMs)
  expect([limit.hasRoom(), limit.hasRoom(), limit.hasRoom()]).toEqual([true, true, true])
  expect([limit.take(), limit.take(), limit.take()]).toEqual([true, true, false])
  expect(limit.hasRoom()).toBe(false)
  nowMs = 5999
  expect(limit.take()).toBe(false)
  nowMs = 6000
  expect([limit.hasRoom(), limit.take(), limit.take(), limit.take()]).toEqual([true, true, true, false])
})
