import { beforeEach, describe, expect, it } from 'vitest'
import { createRouteBreaker, type RouteBreaker } from '#gateway/request/route-breaker.ts'

describe('createRouteBreaker', () => {
  let now: number
  let breaker: RouteBreaker
  let changes: unknown[]
  const record = (served: number, fellBack: number) => {
    for (let count = 0; count < served; count += 1) breaker.record('libraries.list', false)
    for (let count = 0; count < fellBack; count += 1) breaker.record('libraries.list', true)
  }

  beforeEach(() => {
    now = 1_000_000
    changes = []
    breaker = createRouteBreaker({ now: () => now, onChange: (...change) => changes.push(change) })
  })

  it('stays closed while at most a fifth of the requests fall back', () => {
    record(80, 20)
    expect(breaker.isOpen('libraries.list')).toBe(false)
  })

  it('opens when more than a fifth of the requests fall back', () => {
    record(80, 21)
    expect(breaker.isOpen('libraries.list')).toBe(true)
  })

  it('opens only for that route', () => {
    record(0, 10)
    expect(breaker.isOpen('libraries.create')).toBe(false)
  })

  it('lists the routes for which it is open', () => {
    expect(breaker.listOpen()).toEqual([])
    record(0, 10)
    breaker.record('libraries.create', false)
    expect(breaker.listOpen()).toEqual(['libraries.list'])
    now += 10_000
    expect(breaker.listOpen()).toEqual([])
  })

  it('stays closed below the minimum number of requests', () => {
    record(0, 5)
    expect(breaker.isOpen('libraries.list')).toBe(false)
  })

  it('ignores fallbacks older than ten seconds', () => {
    record(0, 4)
    now += 11_000
    record(0, 4)
    expect(breaker.isOpen('libraries.list')).toBe(false)
  })

  it('stays closed if less than a fifth of the requests fall back', () => {
    record(30, 6)
    expect(breaker.isOpen('libraries.list')).toBe(false)
  })

  it('counts the fallbacks of all slices of the last ten seconds', () => {
    record(0, 3)
    now += 5000
    record(0, 3)
    expect(breaker.isOpen('libraries.list')).toBe(true)
  })

  it('reports each change once, with the counts of the last ten seconds', () => {
    record(3, 1)
    expect(changes).toEqual([])
    record(0, 10)
    expect(changes).toEqual([['libraries.list', 'open', { requests: 6, fallbacks: 3 }]])
    now += 10_000
    expect([breaker.isOpen('libraries.list'), breaker.isOpen('libraries.list')]).toEqual([false, false])
    expect(changes.slice(1)).toEqual([['libraries.list', 'closed', { requests: 0, fallbacks: 0 }]])
  })

  it('reports that it closed before it opens again', () => {
    record(0, 6)
    now += 10_000
    record(0, 6)
    expect(changes).toMatchObject(['open', 'closed', 'open'].map((state) => ['libraries.list', state, {}]))
    expect(breaker.listOpen()).toEqual(['libraries.list'])
  })

  it('closes after ten seconds', () => {
    record(0, 10)
    now += 10_001
    expect(breaker.isOpen('libraries.list')).toBe(false)
  })
})
