import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLimitState } from '#gateway/rate-limits/limit-state.ts'

describe('rate limit state', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it.each([-3_600_000, 3_600_000])('expires on time even if the clock jumps by %d ms', (stepMs) => {
    const state = createLimitState()
    state.useLocalCounts(5000)
    state.markExhausted('key', state.now() + 60_000, 4000)
    vi.setSystemTime(Date.now() + stepMs)
    vi.advanceTimersByTime(3000)
    expect(state.usesLocalCounts()).toBe(true)
    expect(state.findRetryAfterS('key')).toBe(57)
    vi.advanceTimersByTime(2000)
    expect(state.usesLocalCounts()).toBe(false)
    expect(state.findRetryAfterS('key')).toBeNull()
  })
})
