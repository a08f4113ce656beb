import { describe, expect, it } from 'vitest'
import {
  canary,
  countUntilAlarm,
  createMonitor,
  createRandom,
  full,
  medianOf,
  simulate,
  slowMs,
  usualMs,
} from './simulate.ts'

const medianUntilAlarm = (rates: { errors?: number; slow?: number }) =>
  medianOf(simulate(200, (random) => countUntilAlarm(createMonitor().monitor, random, rates)))

describe('a route monitor', () => {
  it('stops a handler that always fails after six requests, with or without a core to compare with', () => {
    for (const step of [canary, full])
      expect(countUntilAlarm(createMonitor(step).monitor, createRandom(1), { errors: 1 })).toBe(6)
  })

  it('stops a handler that fails in 5 % of its requests after a median of about 112', () => {
    expect(medianUntilAlarm({ errors: 0.05 })).toBeGreaterThan(95)
    expect(medianUntilAlarm({ errors: 0.05 })).toBeLessThan(130)
  })

  it('stops a handler of which 30 % of the responses are slow within 200 requests in 95 of 100 runs', () => {
    const runs = simulate(100, (random) => countUntilAlarm(createMonitor().monitor, random, { slow: 0.3 }))
    expect(runs.filter((count) => count <= 200).length).toBeGreaterThanOrEqual(95)
    expect(medianOf(runs)).toBeGreaterThan(70)
    expect(medianOf(runs)).toBeLessThan(95)
  })

  it('stops nothing in 1,000,000 requests at half of each good rate', () => {
    for (const seed of [1, 2, 3])
      expect(
        countUntilAlarm(createMonitor().monitor, createRandom(seed), {
          errors: 0.0005,
          slow: 0.03,
          limit: 1_000_000,
        }),
      ).toBe(Number.POSITIVE_INFINITY)
  })

  it('counts a response as slow from 1.2 times the usual p95 of the core and 20 ms', () => {
    const { slowThresholdMs } = createMonitor().monitor
    expect(slowThresholdMs).toBeGreaterThanOrEqual(usualMs * 1.2 + 20)
    expect(slowThresholdMs).toBeLessThanOrEqual(usualMs * 1.05 * 1.2 + 20)
  })

  it('does not change what counts as slow while native and the core become slower', () => {
    const { monitor } = createMonitor()
    const before = monitor.slowThresholdMs
    for (let count = 0; count < 5000; count += 1) monitor.recordCore(false, slowMs)
    expect(monitor.slowThresholdMs).toBe(before)
    monitor.beginStep({ ...canary, version: 2 })
    expect(monitor.slowThresholdMs).toBeGreaterThan(slowMs)
  })

  it('begins with the next step without what it observed before', () => {
    const { monitor } = createMonitor()
    for (let count = 0; count < 5; count += 1) monitor.recordNative(true, false, usualMs)
    monitor.beginStep({ ...canary, version: 2 })
    expect(monitor.recordNative(true, false, usualMs)).toBeNull()
  })

  it('ignores errors while the core fails at half the rate', () => {
    const { monitor, clock } = createMonitor()
    const random = createRandom(1)
    const alarms = Array.from({ length: 20_000 }, () => {
      clock.now += 5
      monitor.recordCore(random() < 0.3, usualMs)
      return monitor.recordNative(random() < 0.4, false, usualMs)
    })
    expect(alarms.every((cause) => cause === null)).toBe(true)
  })

  it('ignores slowness while the core is slow as well', () => {
    const { monitor, clock } = createMonitor()
    const random = createRandom(1)
    const alarms = Array.from({ length: 20_000 }, () => {
      clock.now += 5
      monitor.recordCore(false, random() < 0.8 ? slowMs : usualMs)
      return monitor.recordNative(false, false, random() < 0.8 ? slowMs : usualMs)
    })
    expect(alarms.every((cause) => cause === null)).toBe(true)
  })

  it('ignores failures of native that the core repeats on the same requests, where native serves all', () => {
    const { monitor } = createMonitor(full)
    const alarms = Array.from({ length: 1000 }, () => monitor.recordNative(true, true, usualMs))
    expect(alarms.every((cause) => cause === null)).toBe(true)
  })

  it('finds a handler that fails after a failure that both sides shared is over', () => {
    const { monitor, clock } = createMonitor()
    for (let count = 0; count < 1000; count += 1) {
      monitor.recordCore(true, usualMs)
      monitor.recordNative(true, false, usualMs)
    }
    clock.now += 61_000
    for (let count = 0; count < 100; count += 1) monitor.recordNative(false, false, usualMs)
    expect(countUntilAlarm(monitor, createRandom(1), { errors: 1 })).toBeLessThanOrEqual(7)
  })

  it('is not distracted by a core that failed more than a minute ago', () => {
    const { monitor, clock } = createMonitor()
    for (let count = 0; count < 100; count += 1) monitor.recordCore(true, usualMs)
    clock.now += 61_000
    expect(countUntilAlarm(monitor, createRandom(1), { errors: 1 })).toBe(6)
  })

  it('where native serves all, stops what has become at least twice as bad as before', () => {
    const { monitor } = createMonitor(full)
    expect(countUntilAlarm(monitor, createRandom(1), { slow: 0.04, limit: 20_000 })).toBe(
      Number.POSITIVE_INFINITY,
    )
    expect(countUntilAlarm(monitor, createRandom(2), { slow: 0.3 })).toBeLessThan(300)
  })

  it('expects of native what the core usually does, and requires a hold above 12 % of errors', () => {
    const { monitor } = createMonitor(canary, 100)
    expect(monitor.isHoldRequired).toBe(false)
    expect(countUntilAlarm(monitor, createRandom(1), { errors: 0.05, limit: 50_000 })).toBe(
      Number.POSITIVE_INFINITY,
    )
    expect(createMonitor(canary, 260).monitor.isHoldRequired).toBe(true)
  })

  it('observes nothing where native serves no one but accounts with an override', () => {
    const { monitor } = createMonitor({ version: 1, nativeShare: 'none' })
    expect(countUntilAlarm(monitor, createRandom(1), { errors: 1, limit: 100 })).toBe(
      Number.POSITIVE_INFINITY,
    )
    expect(monitor.takeDelta()).toBeNull()
  })
})
