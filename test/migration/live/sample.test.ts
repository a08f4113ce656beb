import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSampleRate } from '#migration/live/sample.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('permits as many attempts as fit into each second, and asking takes none', () => {
  const limit = createSampleRate(2)
  expect([limit.isExhausted(), limit.isExhausted(), limit.isExhausted()]).toEqual([false, false, false])
  expect([limit.take(), limit.take(), limit.take()]).toEqual([true, true, false])
  expect(limit.isExhausted()).toBe(true)
  vi.advanceTimersByTime(999)
  expect(limit.take()).toBe(false)
  vi.advanceTimersByTime(1)
  expect([limit.isExhausted(), limit.take(), limit.take(), limit.take()]).toEqual([false, true, true, false])
})

it('begins a second with its first attempt', () => {
  const limit = createSampleRate(1)
  vi.advanceTimersByTime(1500)
  expect(limit.take()).toBe(true)
  vi.advanceTimersByTime(999)
  expect(limit.take()).toBe(false)
  vi.advanceTimersByTime(1)
  expect(limit.take()).toBe(true)
})
