import { describe, expect, it } from 'vitest'
import type { Alarm } from '#migration/model/stop/alarm.ts'
import type { DatabaseHealth, DatabaseState } from '#migration/model/stop/database-health.ts'
import type { RouteMonitor } from '#migration/model/stop/route-monitor.ts'
import { createRandom } from '#test/support/random.ts'
import {
  canary,
  countUntilAlarm,
  createFull,
  createMonitor,
  createMonitors,
  full,
  medianOf,
  type Simulation,
  simulate,
  slowMs,
  usualBehaviour,
  usualMs,
} from './simulate.ts'

const never = Number.POSITIVE_INFINITY

const variants: readonly [string, () => Simulation, { readonly core: 0 | 1 }][] = [
  ['a canary', () => createMonitor(canary), { core: 1 }],
  ['a route that native serves alone', createFull, { core: 0 }],
]

const repeat = <T>(count: number, work: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => work(index))

describe.each(variants)('a monitor of %s', (_, create, traffic) => {
  const untilAlarm = (rates: { errors?: number; slow?: number; limit?: number }, runs = 200) =>
    simulate(runs, (random) => countUntilAlarm(create(), random, { ...traffic, ...rates }))

  it('stops a handler after six requests if it always fails', () => {
    expect(untilAlarm({ errors: 1 }, 1)).toEqual([6])
  })

  it('takes a median of about 112 requests to stop a handler that fails 5 % of them', () => {
    const median = medianOf(untilAlarm({ errors: 0.05 }))
    expect(median).toBeGreaterThan(95)
    expect(median).toBeLessThan(130)
  })

  it('stops a handler with 30 % slow responses within 200 requests in 95 of 100 runs', () => {
    const runs = untilAlarm({ slow: 0.3 }, 100)
    expect(runs.filter((count) => count <= 200).length).toBeGreaterThanOrEqual(95)
    expect(medianOf(runs)).toBeGreaterThan(70)
  })

  it('ignores slowness while the peers are slow too, and notices it afterwards', () => {
    const simulation = create()
    const shared = { ...traffic, slow: 0.8, peersSlow: 0.8, limit: 20_000 }
    expect(countUntilAlarm(simulation, createRandom(1), shared)).toBe(never)
    simulation.clock.now += 61_000
    expect(countUntilAlarm(simulation, createRandom(2), { ...traffic, slow: 0.5 })).toBeLessThan(200)
  })

  it('ignores requests from before the step began', () => {
    const { monitor } = create()
    const step = { ...full, version: 2, epoch: 7 }
    monitor.beginStep(step)
    expect(repeat(100, () => monitor.recordNative(true, false, usualMs, 6)).every((alarm) => !alarm)).toBe(
      true,
    )
    expect(monitor.takeDelta(null)).toBeNull()
    expect(repeat(6, () => monitor.recordNative(true, false, usualMs, 7)).at(-1)).toMatchObject({
      peer: null,
    })
  })

  it('observes nothing while the database fails, and stops a broken handler afterwards', () => {
    const health = { state: () => state }
    let state: DatabaseState = 'normal'
    const { monitor } = createMonitor(canary, 0, health)
    repeat(5, () => monitor.recordNative(true, false, usualMs, 1))
    state = 'failing'
    expect(repeat(1000, () => monitor.recordNative(true, false, usualMs, 1)).every((alarm) => !alarm)).toBe(
      true,
    )
    expect(monitor.takeDelta(null)).toBeNull()
    state = 'normal'
    const after = repeat(6, () => monitor.recordNative(true, false, usualMs, 1))
    expect(after.map((alarm) => alarm?.cause)).toEqual([...repeat(5, () => undefined), 'errors'])
  })
})

describe.each(variants)('a monitor of %s during a stall of ten seconds', (_, create) => {
  const lateMs = 10_000

  /**
   * Within a second, `ownLate` requests of the monitored route and `otherLate` of the other one time out. `isFirst`
   * says whether those of the monitored route come first.
   */
  const stall = ({ monitor, other, clock }: Simulation, isFirst: boolean, ownLate = 9, otherLate = 9) => {
    const fail = (failing: RouteMonitor, count: number) =>
      repeat(count, () => {
        clock.now += 50
        return failing.recordNative(true, false, lateMs, 1)
      })
    const own = isFirst ? fail(monitor, ownLate) : []
    fail(other, otherLate)
    return isFirst ? own : fail(monitor, ownLate)
  }
  const isStop = (alarm: Alarm | null) => alarm?.peer === null

  it.each([true, false])('stops no route if others fail too, in either order (own first: %s)', (isFirst) => {
    for (const pauseMs of [10, 3000, 60_000, 600_000]) {
      const simulation = create()
      const { monitor, other, clock } = simulation
      repeat(200, () => other.recordNative(false, false, usualMs, 1))
      const alarms = stall(simulation, isFirst)
      clock.now += pauseMs
      const after = repeat(500, () => {
        clock.now += 100
        other.recordNative(false, false, usualMs, 1)
        return monitor.recordNative(false, false, usualMs, 1)
      })
      expect([...alarms, ...after].filter(isStop)).toEqual([])
    }
  })

  it('stops a route that still fails 30 seconds after the stall', () => {
    const simulation = create()
    const { monitor, clock } = simulation
    expect(stall(simulation, true).filter(isStop)).toEqual([])
    clock.now += 30_000
    expect(monitor.recordNative(true, false, lateMs, 1)).toEqual({ cause: 'errors', peer: null })
  })

  it('stops a handler within ten requests if only that handler times out', () => {
    const simulation = create()
    const { monitor, other, clock } = simulation
    const alarms = repeat(10, () => {
      clock.now += 1000
      other.recordNative(false, false, usualMs, 1)
      return monitor.recordNative(true, false, lateMs, 1)
    })
    expect(alarms.some(isStop)).toBe(true)
  })

  it('does not blame the code for timeouts while no other route serves requests', () => {
    const { monitor, clock } = create()
    const alarms = repeat(10, () => {
      clock.now += 1000
      return monitor.recordNative(true, false, lateMs, 1)
    })
    expect(alarms.filter((alarm) => alarm !== null)).toContainEqual({ cause: 'timeouts', peer: null })
    expect(alarms).not.toContainEqual({ cause: 'errors', peer: null })
  })

  it('stops a handler that fails without a delay, whatever other routes do', () => {
    const { monitor, other } = create()
    const alarms = repeat(10, () => {
      other.recordNative(true, false, lateMs, 1)
      return monitor.recordNative(true, false, usualMs, 1)
    })
    expect(alarms.some(isStop)).toBe(true)
  })
})

describe('a route monitor', () => {
  it("counts a response as slow if it takes over 1.2 times the core's usual p95 plus 20 ms", () => {
    const { slowThresholdMs } = createMonitor().monitor
    expect(slowThresholdMs).toBeGreaterThanOrEqual(usualMs * 1.2 + 20)
    expect(slowThresholdMs).toBeLessThanOrEqual(usualMs * 1.05 * 1.2 + 20)
  })

  it('keeps its slow threshold until the next step, even if the core becomes slower', () => {
    const { monitor } = createMonitor()
    const before = monitor.slowThresholdMs
    repeat(5000, () => monitor.recordCore(false, slowMs, 1))
    expect(monitor.slowThresholdMs).toBe(before)
    monitor.beginStep({ ...canary, version: 2 })
    expect(monitor.slowThresholdMs).toBeGreaterThan(slowMs)
  })

  it('starts the next step without the observations of the previous one', () => {
    const { monitor } = createMonitor()
    repeat(5, () => monitor.recordNative(true, false, usualMs, 1))
    monitor.beginStep({ ...canary, version: 2 })
    expect(monitor.recordNative(true, false, usualMs, 1)).toBeNull()
  })

  it("ignores native's errors while the core fails at least half as often", () => {
    const { monitor, clock } = createMonitor()
    const random = createRandom(1)
    const alarms = repeat(20_000, () => {
      clock.now += 5
      monitor.recordCore(random() < 0.3, usualMs, 1)
      return monitor.recordNative(random() < 0.4, false, usualMs, 1)
    })
    expect(alarms.filter((alarm) => alarm?.peer === null)).toEqual([])
    expect(alarms.some((alarm) => alarm?.peer === 'core')).toBe(true)
  })

  it('ignores failures that also occur on the core for the same requests, if native serves everyone', () => {
    const { monitor } = createFull()
    const alarms = repeat(1000, () => monitor.recordNative(true, true, usualMs, 1))
    expect(alarms.filter((alarm) => alarm?.peer === null)).toEqual([])
  })

  it("does not ignore one route's failures because others fail too", () => {
    const { monitor, other } = createFull()
    const alarms = repeat(6, () => {
      other.recordNative(true, false, usualMs, 1)
      return monitor.recordNative(true, false, usualMs, 1)
    })
    expect(alarms.at(-1)).toEqual({ cause: 'errors', peer: null })
  })

  it('stops a failing handler once a problem shared by both sides has ended', () => {
    const simulation = createMonitor()
    const { monitor, clock } = simulation
    repeat(1000, () => {
      monitor.recordCore(true, usualMs, 1)
      monitor.recordNative(true, false, usualMs, 1)
    })
    clock.now += 61_000
    repeat(100, () => monitor.recordNative(false, false, usualMs, 1))
    expect(countUntilAlarm(simulation, createRandom(1), { errors: 1 })).toBeLessThanOrEqual(10)
  })

  it('does not excuse failures because the core failed more than a minute ago', () => {
    const simulation = createMonitor()
    repeat(100, () => simulation.monitor.recordCore(true, usualMs, 1))
    simulation.clock.now += 61_000
    expect(countUntilAlarm(simulation, createRandom(1), { errors: 1 })).toBe(6)
  })

  it('ignores slowness that the core shares, however few requests the core serves in a minute', () => {
    const { monitor, other, clock } = createMonitor(canary)
    const alarms = repeat(2000, (index) => {
      clock.now += 1000
      if (index % 20 === 0) monitor.recordCore(false, slowMs, 1)
      other.recordNative(false, false, usualMs, 1)
      return monitor.recordNative(false, false, slowMs, 1)
    })
    expect(alarms.filter((alarm) => alarm?.peer === null)).toEqual([])
    expect(alarms.some((alarm) => alarm?.peer === 'core')).toBe(true)
  })

  it('waits at most 15 minutes for the core to serve 20 requests, then compares with other routes', () => {
    const { monitor, other, clock } = createMonitor(canary)
    const startedAt = clock.now
    monitor.recordCore(false, usualMs, 1)
    while (clock.now - startedAt < 16 * 60_000) {
      clock.now += 1000
      other.recordNative(false, false, usualMs, 1)
      if (clock.now % 50_000 === 0) monitor.recordCore(false, usualMs, 1)
      if (monitor.recordNative(false, false, slowMs, 1)?.peer === null) break
    }
    expect(clock.now - startedAt).toBeGreaterThan(14 * 60_000)
    expect(clock.now - startedAt).toBeLessThan(16 * 60_000)
  })

  const recordAlone = (state: DatabaseState) => {
    const { monitor, clock } = createMonitors(full, { health: { state: () => state } })
    monitor.adoptStored({ core: null, native: usualBehaviour })
    const recordedFor = (ms: number) => {
      clock.now += ms
      return monitor.recordNative(false, false, slowMs, 1)
    }
    return { early: repeat(100, () => recordedFor(49)).find((alarm) => alarm), late: recordedFor(60_000) }
  }

  it('waits a minute if neither the core nor another route serves requests', () => {
    expect(recordAlone('normal')).toEqual({ early: undefined, late: { cause: 'slowness', peer: null } })
  })

  it('ignores the slowness of a route without peers while the database is slow', () => {
    expect(recordAlone('slow').early).toEqual({ cause: 'slowness', peer: 'database' })
    expect(recordAlone('slow').late?.peer).not.toBeNull()
  })

  it('stops a handler that fails or is slower than its core even while database polls are slow', () => {
    const slowDatabase: DatabaseHealth = { state: () => 'slow' }
    for (const [rates, limit] of [
      [{ errors: 1 }, 10],
      [{ slow: 0.3 }, 200],
    ] as const) {
      const runs = simulate(100, (random) =>
        countUntilAlarm(createMonitor(canary, 0, slowDatabase), random, rates),
      )
      expect(runs.filter((count) => count <= limit).length).toBeGreaterThanOrEqual(95)
    }
  })

  it("knows the core's usual durations even if database polls are always slow", () => {
    expect(createMonitor(canary, 0, { state: () => 'slow' }).monitor.slowThresholdMs).not.toBeNull()
  })

  it("allows native the upper bound of the core's error rate while fewer than 1,000 requests are known", () => {
    const expectedOf = (errors: number) => {
      const { monitor } = createMonitors(canary)
      repeat(300, (index) => monitor.recordCore(index < errors, usualMs, 1))
      return monitor.takeDelta(null)?.goodErrorRate
    }
    expect(expectedOf(4)).toBe(0.001)
    expect(expectedOf(9)).toBeGreaterThan(0.04)
    expect(expectedOf(9)).toBeLessThan(0.07)
    expect(expectedOf(150)).toBe(0.12)
  })

  it('needs more observations for an alarm after heavy traffic in the same step', () => {
    const { monitor, clock } = createFull()
    // On a route with less traffic, six failures in this many requests would be enough.
    const fail = (count: number) => repeat(count, () => monitor.recordNative(true, false, usualMs, 1)).at(-1)
    const succeed = (count: number) => repeat(count, () => monitor.recordNative(false, false, usualMs, 1))
    succeed(1_500_000)
    monitor.takeDelta(null)
    clock.now += 61_000
    fail(5)
    succeed(80)
    expect(fail(1)).toBeNull()
    expect(fail(1)).toEqual({ cause: 'errors', peer: null })
  })

  it("allows native the core's usual error rate, and requires a hold above 12 %", () => {
    const simulation = createMonitor(canary, 100)
    expect(simulation.monitor.isHoldRequired).toBe(false)
    expect(countUntilAlarm(simulation, createRandom(1), { errors: 0.05, limit: 50_000 })).toBe(never)
    expect(createMonitor(canary, 260).monitor.isHoldRequired).toBe(true)
  })

  it('observes nothing if native serves only accounts with an override', () => {
    const simulation = createMonitor({ ...canary, nativeTraffic: 'none' })
    expect(countUntilAlarm(simulation, createRandom(1), { errors: 1, limit: 100 })).toBe(never)
    expect(simulation.monitor.takeDelta(null)).toBeNull()
  })
})

describe('the baseline of a route monitor', () => {
  it("is the core's stored baseline after a restart, even if native serves everyone", () => {
    for (const step of [canary, full]) {
      const { monitor } = createMonitors(step)
      monitor.adoptStored({ core: usualBehaviour, native: { ...usualBehaviour, p95Ms: 500 } })
      expect(monitor.slowThresholdMs).toBe(usualMs * 1.2 + 20)
    }
  })

  it('is never learned from native while the core serves some requests', () => {
    const { monitor } = createMonitors(canary)
    monitor.adoptStored({ core: null, native: usualBehaviour })
    repeat(1000, () => monitor.recordNative(false, false, usualMs, 1))
    expect(monitor.slowThresholdMs).toBeNull()
  })

  it('is replaced by a stored baseline if it was learned from the code being judged', () => {
    const { monitor } = createMonitors(full)
    repeat(300, () => monitor.recordNative(false, false, slowMs, 1))
    expect(monitor.slowThresholdMs).toBeGreaterThan(slowMs)
    monitor.adoptStored({ core: null, native: usualBehaviour })
    expect(monitor.slowThresholdMs).toBe(usualMs * 1.2 + 20)
    monitor.adoptStored({ core: null, native: { ...usualBehaviour, p95Ms: 500 } })
    expect(monitor.slowThresholdMs).toBe(usualMs * 1.2 + 20)
  })

  it('reveals a handler that fails or is slow from the start', () => {
    for (const [rates, limit] of [
      [{ errors: 1 }, 6],
      [{ slow: 1 }, 110],
      [{ errors: 0.04 }, 2000],
    ] as const)
      expect(countUntilAlarm(createFull(), createRandom(3), { core: 0, ...rates })).toBeLessThanOrEqual(limit)
  })

  it("is native's own earlier behaviour if nothing else is known", () => {
    const simulation = createMonitors(full)
    const random = createRandom(1)
    const own = { core: 0, errors: 0.03, limit: 20_000 } as const
    repeat(150, (index) => simulation.monitor.recordNative(index === 0, false, usualMs, 1))
    expect(countUntilAlarm(simulation, random, { ...own, errors: 0.01 })).toBe(never)
    expect(countUntilAlarm(simulation, random, { core: 0, slow: 0.3 })).toBeLessThan(300)
  })
})
