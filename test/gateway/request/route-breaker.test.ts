import { beforeEach, describe, expect, it } from 'vitest'
import { createRouteBreaker, type RouteBreaker } from '#gateway/request/route-breaker.ts'

describe('the breaker of a route', () => {
  let now: number
  let breaker: RouteBreaker
  const record = (served: number, fellBack: number) => {
    for (let count = 0; count < served; count += 1) breaker.record('libraries.list', false)
    for (let count = 0; count < fellBack; count += 1) breaker.record('libraries.list', true)
  }

  beforeEach(() => {
    now = 1_000_000
    breaker = createRouteBreaker(() => now)
  })

  it('stays closed while no more than a fifth of the requests fall back', () => {
    record(80, 20)
    expect(breaker.isOpen('libraries.list')).toBe(false)
  })

  it('opens when more of them do', () => {
    record(80, 21)
    expect(breaker.isOpen('libraries.list')).toBe(true)
  })

  it('opens for that route alone', () => {
    record(0, 10)
    expect(breaker.isOpen('libraries.create')).toBe(false)
  })

  it('does not judge by a handful', () => {
    record(0, 4)
    expect(breaker.isOpen('libraries.list')).toBe(false)
  })

  it('forgets what happened more than ten seconds ago', () => {
    record(0, 4)
    now += 11_000
    record(0, 4)
    expect(breaker.isOpen('libraries.list')).toBe(false)
    now += 60_000
    record(30, 6)
    expect(breaker.isOpen('libraries.list')).toBe(false)
  })

  it('remembers the last ten seconds across their slices', () => {
    record(0, 3)
    now += 5000
    record(0, 3)
    expect(breaker.isOpen('libraries.list')).toBe(true)
  })

  it('closes again after ten seconds and gives native another try', () => {
    record(0, 10)
    now += 10_001
    expect(breaker.isOpen('libraries.list')).toBe(false)
  })
})
