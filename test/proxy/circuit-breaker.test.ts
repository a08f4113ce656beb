import { setImmediate as nextIteration } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BreakerCounts, type BreakerState, createCircuitBreaker } from '#proxy/circuit-breaker.ts'

const startBreaker = () => {
  const clock = { now: 0 }
  const changes: (readonly [BreakerState, BreakerCounts])[] = []
  const breaker = createCircuitBreaker({
    threshold: 3,
    openMs: 1000,
    maxOpenMs: 4000,
    now: () => clock.now,
    onChange: (...change) => changes.push(change),
  })
  const fail = (times: number) => {
    for (let time = 0; time < times; time++) breaker.recordFailure()
  }
  return { breaker, changes, clock, fail }
}

describe('the circuit breaker', () => {
  it('opens on consecutive failures', () => {
    const { breaker, fail } = startBreaker()
    fail(2)
    breaker.recordSuccess()
    fail(2)
    expect([breaker.state(), breaker.admit(true)]).toEqual(['closed', null])
    fail(1)
    expect([breaker.state(), breaker.admit(true)]).toEqual(['open', 1])
  })

  it('admits one safe request as a probe after the open period', () => {
    const { breaker, clock, fail } = startBreaker()
    fail(3)
    clock.now = 999
    expect(breaker.admit(true)).toBe(1)
    clock.now = 1000
    expect(breaker.state()).toBe('half-open')
    expect(breaker.admit(false)).not.toBeNull()
    expect(breaker.admit(true)).toBeNull()
    expect(breaker.admit(true)).not.toBeNull()
  })

  it('closes when the probe succeeds', () => {
    const { breaker, clock, fail } = startBreaker()
    fail(3)
    clock.now = 1000
    breaker.admit(true)
    breaker.recordSuccess()
    expect([breaker.state(), breaker.admit(false)]).toEqual(['closed', null])
  })

  it('doubles the open period after each failed probe, up to a limit', () => {
    const { breaker, clock, fail } = startBreaker()
    fail(3)
    for (const waits of [1000, 2000, 4000, 4000]) {
      clock.now += waits - 1
      expect(breaker.admit(true)).not.toBeNull()
      clock.now += 1
      expect(breaker.admit(true)).toBeNull()
      fail(1)
    }
  })

  it('admits another probe after an open period if the previous one reported no result', () => {
    const { breaker, clock, fail } = startBreaker()
    fail(3)
    clock.now = 1000
    expect(breaker.admit(true)).toBeNull()
    clock.now = 2000
    expect(breaker.admit(true)).toBeNull()
  })

  it('admits an unsafe request as a probe if no safe request arrives for five seconds', () => {
    const { breaker, clock, fail } = startBreaker()
    fail(3)
    clock.now = 5999
    expect(breaker.admit(false)).not.toBeNull()
    clock.now = 6000
    expect(breaker.admit(false)).toBeNull()
  })

  it('reports each state change once, with the number of failures since it was last closed', () => {
    const { breaker, changes, clock, fail } = startBreaker()
    const cause = 'unreachable'
    breaker.recordSuccess()
    fail(2)
    expect(changes).toEqual([])
    fail(3)
    expect(changes).toEqual([['open', { failures: 3, cause }]])
    clock.now = 1000
    for (const probesFrom of [1000, 2000]) {
      clock.now = probesFrom
      breaker.admit(true)
      breaker.admit(true)
    }
    expect(changes.slice(1)).toEqual([['half-open', { failures: 5, cause }]])
    fail(2)
    clock.now += 2000
    breaker.admit(true)
    breaker.recordSuccess()
    breaker.recordSuccess()
    expect(changes.slice(2)).toEqual([
      ['open', { failures: 6, cause }],
      ['half-open', { failures: 7, cause }],
      ['closed', { failures: 7, cause }],
    ])
  })

  it('returns whole seconds for Retry-After', () => {
    const { breaker, clock, fail } = startBreaker()
    fail(3)
    clock.now = 1000
    breaker.admit(true)
    fail(1)
    expect(breaker.admit(true)).toBe(2)
  })
})

describe('a circuit breaker that probes in the background', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const startProbed = () => {
    const changes: (readonly [BreakerState, BreakerCounts])[] = []
    const probes: { readonly signal: AbortSignal; finish(isAlive: boolean): Promise<void> }[] = []
    const breaker = createCircuitBreaker({ threshold: 3, onChange: (...change) => changes.push(change) })
    const stop = breaker.probeInBackground((signal) => {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      signal.addEventListener('abort', () => resolve(false))
      probes.push({
        signal,
        finish: async (isAlive) => {
          resolve(isAlive)
          await nextIteration()
        },
      })
      return promise
    })
    const fail = (times: number) => {
      for (let time = 0; time < times; time++) breaker.recordFailure()
    }
    return { breaker, changes, probes, stop, fail }
  }

  it('probes every second while the core is down, and runs no timer before or after', async () => {
    const { breaker, probes, fail } = startProbed()
    expect(vi.getTimerCount()).toBe(0)
    fail(3)
    for (let second = 1; second <= 60; second++) {
      vi.advanceTimersByTime(1000)
      expect(probes).toHaveLength(second)
      await probes.at(-1)?.finish(false)
      expect([breaker.admit(true), breaker.admit(false)]).toEqual([1, 1])
    }
    vi.advanceTimersByTime(1000)
    await probes.at(-1)?.finish(true)
    expect([breaker.state(), breaker.admit(false), vi.getTimerCount()]).toEqual(['closed', null, 0])
  })

  it('opens immediately for a core that hangs, and closes only when a probe gets a response', async () => {
    const { breaker, changes, probes, fail } = startProbed()
    breaker.recordHang()
    breaker.recordHang()
    breaker.recordSuccess()
    fail(3)
    expect([breaker.state(), breaker.openCause()]).toEqual(['open', 'hanging'])
    vi.advanceTimersByTime(1000)
    await probes[0]?.finish(true)
    expect([breaker.state(), breaker.openCause()]).toEqual(['closed', null])
    expect(changes).toEqual([
      ['open', { failures: 0, cause: 'hanging' }],
      ['closed', { failures: 3, cause: 'hanging' }],
    ])
  })

  it('lets the first probe wait for a slow core, and sends another probe each second', async () => {
    const { breaker, probes } = startProbed()
    breaker.recordHang()
    vi.advanceTimersByTime(20_000)
    await nextIteration()
    const waiting = probes.filter(({ signal }) => !signal.aborted)
    expect(probes).toHaveLength(20)
    expect(waiting).toEqual([probes[0], ...probes.slice(-4)])
    await probes[0]?.finish(true)
    expect(breaker.state()).toBe('closed')
    expect(probes.every(({ signal }) => signal.aborted || signal === probes[0]?.signal)).toBe(true)
  })

  it('cancels its probes and timers when it is stopped', async () => {
    const { breaker, probes, stop } = startProbed()
    breaker.recordHang()
    vi.advanceTimersByTime(2000)
    stop()
    expect([probes.every(({ signal }) => signal.aborted), vi.getTimerCount()]).toEqual([true, 0])
  })
})
