import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withTimeout } from '#shared/with-timeout.ts'

const fail = () => {
  throw new Error('timed out')
}

describe('withTimeout', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('returns the result of the work and leaves no timer behind', async () => {
    expect(await withTimeout(1000, Promise.resolve('done'), fail)).toBe('done')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('rejects with the error of the work and leaves no timer behind', async () => {
    const error = new Error('broken')
    await expect(withTimeout(1000, Promise.reject(error), fail)).rejects.toBe(error)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([
    ['resolves with what onTimeout returns', () => 'late', { status: 'fulfilled', value: 'late' }],
    ['rejects with what onTimeout throws', fail, { status: 'rejected', reason: new Error('timed out') }],
  ])('%s when time runs out', async (_, onTimeout, expected) => {
    const work = Promise.withResolvers<string>()
    const outcomes = Promise.allSettled([withTimeout(1000, work.promise, onTimeout)])
    await vi.advanceTimersByTimeAsync(1000)
    work.resolve('too late')
    expect(await outcomes).toEqual([expected])
  })
})
