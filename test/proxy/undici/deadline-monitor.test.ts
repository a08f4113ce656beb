import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDeadlineMonitor, type MonitoredRequest } from '#proxy/undici/deadline-monitor.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Starts a monitor that checks every 20 ms. `add` adds a request that records when it expires. */
const startMonitor = () => {
  const monitor = createDeadlineMonitor(20)
  const from = performance.now()
  const expired: (readonly [name: string, at: number])[] = []
  const add = (name: string, timeoutMs: number) => {
    const request: MonitoredRequest = {
      deadline: from + timeoutMs,
      monitorIndex: -1,
      longStreamFrom: Number.POSITIVE_INFINITY,
      becomeLongStream: () => {},
      continueAfterPause: (pauseMs) => {
        request.deadline += pauseMs
      },
      expire: () => {
        expired.push([name, performance.now() - from])
        monitor.delete(request)
      },
    }
    monitor.add(request)
    return request
  }
  return { monitor, from, expired, add }
}

describe('the deadline monitor', () => {
  it('expires a request at most one interval after its deadline, and never before', () => {
    const { add, expired } = startMonitor()
    for (const timeoutMs of [1, 20, 45, 390, 400]) add(`${timeoutMs}`, timeoutMs)
    vi.advanceTimersByTime(1000)
    expect(expired).toHaveLength(5)
    for (const [name, at] of expired) {
      expect(at).toBeGreaterThanOrEqual(Number(name))
      expect(at).toBeLessThanOrEqual(Number(name) + 20)
    }
  })

  it('applies an extended deadline', () => {
    const { add, expired, from } = startMonitor()
    const request = add('extended', 30)
    vi.advanceTimersByTime(25)
    request.deadline = from + 100
    vi.advanceTimersByTime(200)
    expect(expired).toEqual([['extended', 100]])
  })

  it('does not expire a deleted request, whatever other requests are added or deleted', () => {
    const { add, expired, monitor } = startMonitor()
    const [first, , last] = [add('first', 30), add('other', 30), add('last', 30)]
    monitor.delete(first)
    monitor.delete(first)
    add('added', 30)
    monitor.delete(last)
    vi.advanceTimersByTime(40)
    expect(expired.map(([name]) => name).sort()).toEqual(['added', 'other'])
  })

  it('after longStreamFrom, asks a request at each sweep to become a long stream, until it does', () => {
    const { add, from, expired } = startMonitor()
    const request = add('stream', 1000)
    const asked: number[] = []
    request.longStreamFrom = from + 50
    request.becomeLongStream = () => {
      if (asked.push(performance.now() - from) === 3) request.longStreamFrom = Number.POSITIVE_INFINITY
    }
    vi.advanceTimersByTime(500)
    expect([asked, expired]).toEqual([[60, 80, 100], []])
  })

  it('runs no timer while there is no request', () => {
    const { add, monitor } = startMonitor()
    monitor.delete(add('one', 30))
    vi.advanceTimersByTime(20)
    expect(vi.getTimerCount()).toBe(0)
    add('another', 30)
    expect(vi.getTimerCount()).toBe(1)
  })
})

it('time for which the process was paused does not count', async () => {
  vi.useRealTimers()
  const { add, expired, monitor } = startMonitor()
  const requests = [add('short', 100), add('long', 600)]
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1300)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(expired).toEqual([])
  await expect.poll(() => expired.map(([name]) => name), { timeout: 5000 }).toEqual(['short', 'long'])
  for (const request of requests) monitor.delete(request)
})

it('requests end even if every check is late', async () => {
  vi.useRealTimers()
  const { add, expired } = startMonitor()
  add('short', 100)
  for (let time = 0; time < 2; time++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1300)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(expired).toHaveLength(1)
})
