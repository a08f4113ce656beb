import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listTimerWork, measureTimerWork, repeat } from '#shared/repeat.ts'

const countOf = (work: string) => listTimerWork().find(({ labels }) => labels.work === work)?.histogram.count

describe('repeat', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('runs its work once per interval, starting within the first interval', () => {
    const run = vi.fn()
    void repeat('steady', run, 1000)
    for (const runs of [1, 2, 3]) {
      vi.advanceTimersByTime(1000)
      expect(run).toHaveBeenCalledTimes(runs)
    }
    expect(countOf('steady')).toBe(3)
  })

  it('starts timers with the same interval at different times', () => {
    const delays = Array.from({ length: 20 }, () => {
      const startedAt = performance.now()
      let delay = Number.NaN
      const { stop } = repeat(
        'spread',
        () => {
          delay = performance.now() - startedAt
        },
        1000,
      )
      vi.advanceTimersByTime(1000)
      void stop()
      return Math.round(delay)
    })
    expect(new Set(delays).size).toBeGreaterThan(10)
  })

  it('skips a run while the previous one has not ended', async () => {
    const slow = Promise.withResolvers<void>()
    const run = vi.fn(() => slow.promise)
    void repeat('slow', run, 1000)
    vi.advanceTimersByTime(5000)
    expect(run).toHaveBeenCalledTimes(1)
    slow.resolve()
    await vi.advanceTimersByTimeAsync(1000)
    expect(run).toHaveBeenCalledTimes(2)
  })

  it('waits for the current run to end when it is stopped, and starts no further run', async () => {
    const slow = Promise.withResolvers<void>()
    const run = vi.fn(() => slow.promise)
    const { stop } = repeat('stopped', run, 1000)
    vi.advanceTimersByTime(1000)
    let hasStopped = false
    const stopping = stop().then(() => {
      hasStopped = true
    })
    await vi.advanceTimersByTimeAsync(5000)
    expect(hasStopped).toBe(false)
    slow.resolve()
    await stopping
    expect(run).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('can be stopped by its first run', () => {
    const run = vi.fn(() => void repeated.stop())
    const repeated = repeat('stops itself', run, 1000)
    vi.advanceTimersByTime(5000)
    expect(run).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('never runs if it is stopped before its first run', async () => {
    const run = vi.fn()
    await repeat('never', run, 1000).stop()
    vi.advanceTimersByTime(5000)
    expect(run).not.toHaveBeenCalled()
  })
})

describe('measureTimerWork', () => {
  it('returns the result of the work, and also counts work that fails', () => {
    expect(measureTimerWork('measured', () => 'result')).toBe('result')
    const fail = () => {
      throw new Error('failed')
    }
    expect(() => measureTimerWork('measured', fail)).toThrow('failed')
    expect(countOf('measured')).toBe(2)
  })
})
