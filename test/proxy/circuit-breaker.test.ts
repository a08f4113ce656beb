import { describe, expect, it } from 'vitest'
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

  it('admits another probe when one reports no result', () => {
    const { breaker, clock, fail } = startBreaker()
    fail(3)
    clock.now = 1000
    expect(breaker.admit(true)).toBeNull()
    clock.now = 2000
    expect(breaker.admit(true)).toBeNull()
  })

  it('admits unsafe requests as probes when no safe request arrives', () => {
    const { breaker, clock, fail } = startBreaker()
    fail(3)
    clock.now = 5999
    expect(breaker.admit(false)).not.toBeNull()
    clock.now = 6000
    expect(breaker.admit(false)).toBeNull()
  })

  it('reports each change of its state once, with the failures so far', () => {
    const { breaker, changes, clock, fail } = startBreaker()
    breaker.recordSuccess()
    fail(2)
    expect(changes).toEqual([])
    fail(3)
    expect(changes).toEqual([['open', { failures: 3 }]])
    clock.now = 1000
    for (const probesFrom of [1000, 2000]) {
      clock.now = probesFrom
      breaker.admit(true)
      breaker.admit(true)
    }
    expect(changes.slice(1)).toEqual([['half-open', { failures: 5 }]])
    fail(2)
    clock.now += 2000
    breaker.admit(true)
    breaker.recordSuccess()
    breaker.recordSuccess()
    expect(changes.slice(2)).toEqual([
      ['open', { failures: 6 }],
      ['half-open', { failures: 7 }],
      ['closed', { failures: 7 }],
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
