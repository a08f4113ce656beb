import { expect, it } from 'vitest'
import { createAttemptLimit } from '#gateway/comparisons/attempt-limit.ts'

it('permits as many attempts as fit into each second, and asking takes none', () => {
  let nowMs = 5200
  const limit = createAttemptLimit(2, () => nowMs)
  expect([limit.isExhausted(), limit.isExhausted(), limit.isExhausted()]).toEqual([false, false, false])
  expect([limit.take(), limit.take(), limit.take()]).toEqual([true, true, false])
  expect(limit.isExhausted()).toBe(true)
  nowMs = 5999
  expect(limit.take()).toBe(false)
  nowMs = 6000
  expect([limit.isExhausted(), limit.take(), limit.take(), limit.take()]).toEqual([false, true, true, false])
})
