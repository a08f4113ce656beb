import { setImmediate as nextIteration } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { DispatchPace, type PacedRequest } from '#proxy/undici/lane.ts'

const createRequest = (): PacedRequest => ({ dispatchedIn: null })

const openPace = (limit: number) => {
  let nowMs = 0
  let calls = 0
  const onNextIteration = () => {
    calls += 1
  }
  const pace = new DispatchPace({ limit, onNextIteration, now: () => nowMs })
  const add = () => {
    const request = createRequest()
    pace.add(request)
    return request
  }
  return { pace, add, calls: () => calls, advanceMs: (ms: number) => (nowMs += ms) }
}

const countIterations = async (pace: DispatchPace) => {
  let count = 0
  for (; pace.mustWait(); count += 1) await nextIteration()
  return count
}

describe('DispatchPace', () => {
  it('makes requests wait while the limit on recent requests is reached', () => {
    const { pace, add } = openPace(2)
    const first = add()
    expect(pace.mustWait()).toBe(false)
    const second = add()
    expect(pace.mustWait()).toBe(true)
    pace.delete(first)
    expect(pace.mustWait()).toBe(false)
    add()
    expect(pace.mustWait()).toBe(true)
    pace.delete(second)
    expect(pace.mustWait()).toBe(false)
  })

  it('counts a request only for a few iterations, whether or not it has ended', async () => {
    const { pace, add } = openPace(2)
    const requests = [add(), add()]
    expect(await countIterations(pace)).toBeGreaterThan(10)
    expect(await countIterations(pace)).toBe(0)
    for (const request of requests) pace.delete(request)
    add()
    expect(pace.mustWait()).toBe(false)
    add()
    expect(pace.mustWait()).toBe(true)
  })

  it('counts a request only for a few milliseconds, however long iterations take', async () => {
    const { pace, add, advanceMs } = openPace(1)
    add()
    advanceMs(24)
    await nextIteration()
    expect(pace.mustWait()).toBe(true)
    advanceMs(2)
    await nextIteration()
    expect(pace.mustWait()).toBe(false)
  })

  it('calls back after each iteration that makes a request wait', async () => {
    const { pace, add, calls } = openPace(1)
    add()
    await nextIteration()
    expect(calls()).toBe(1)
    await nextIteration()
    expect(calls()).toBe(1)
    expect(pace.mustWait()).toBe(true)
    await nextIteration()
    expect(calls()).toBe(2)
  })

  it('ignores the end of a request that was not dispatched', () => {
    const { pace, add } = openPace(1)
    pace.delete(createRequest())
    const request = add()
    pace.delete(request)
    pace.delete(request)
    add()
    expect(pace.mustWait()).toBe(true)
  })
})
