import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import type { SettledRequest } from '#gateway/request/route-control.ts'
import { createNativeGuard } from '#migration/control/guard.ts'
import type { DatabaseState } from '#migration/model/stop/database-health.ts'
import type { ObservedStep } from '#migration/model/stop/observed-step.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { settledByCore, settledByNative } from '#test/support/settled.ts'

const label = 'libraries.detail'
const other = 'libraries.list'
const countIntervalMs = 250
const dayMs = 600_000
const usual = { requests: 2000, errors: 0, timed: 2000, p95Ms: 10 }

const stepAt = (version: number, epoch: number): ObservedStep => ({
  version,
  epoch,
  nativeTraffic: 'all',
  weightBp: 10_000,
  isHeld: false,
})
const stepsAt = (version: number, epoch = version): ReadonlyMap<Label, ObservedStep> =>
  new Map([
    [label, stepAt(version, epoch)],
    [other, stepAt(1, 1)],
  ])

describe('a guard that counts its tally on a timer', () => {
  const clock = { now: 1_000_000, reads: 0 }
  const close: (() => void)[] = []
  let database: DatabaseState

  beforeEach(() => {
    vi.useFakeTimers()
    database = 'normal'
  })
  afterEach(() => {
    for (const end of close.splice(0)) end()
    vi.useRealTimers()
  })

  const wait = (ms: number) => {
    clock.now += ms
    vi.advanceTimersByTime(ms)
  }

  const open = ({ isUsualKnown = true, countIntervalMs: interval = countIntervalMs } = {}) => {
    const log = createRecordingLog()
    const guard = createNativeGuard({
      steps: stepsAt(1),
      evidenceKeys: new Map(),
      stored: null,
      health: { state: () => database },
      log,
      dayMs,
      now: () => {
        clock.reads += 1
        return clock.now
      },
      ...(interval > 0 ? { countIntervalMs: interval } : {}),
    })
    close.push(guard.close)
    if (isUsualKnown) {
      const behaviours = { core: null, native: usual }
      guard.adoptBaselines(
        new Map([
          [label, behaviours],
          [other, behaviours],
        ]),
      )
    }
    const settle = (count: number, request: SettledRequest) => {
      for (let sent = 0; sent < count; sent += 1) guard.settled(request)
    }
    return {
      guard,
      log,
      settle,
      serve: (count: number, epoch = 1, route: Label = label) =>
        settle(count, settledByNative(route, 'served', epoch)),
      fail: (count: number, epoch = 1) => settle(count, settledByNative(label, 'failed', epoch)),
      takeDelta: (route: Label = label) => guard.takeDeltas().get(route),
    }
  }

  it('does not read the clock while native and the core keep succeeding', () => {
    const { guard, serve, settle } = open()
    serve(1)
    clock.reads = 0
    serve(1000)
    settle(1000, settledByCore(label, false))
    expect(clock.reads).toBe(0)
    const delta = guard.takeDeltas().get(label)
    expect(delta).toMatchObject({
      native: { requests: 1001, timed: 1001 },
      core: { requests: 1000, timed: 1000 },
      requestsPerDay: 2001,
      usual: { native: { requests: 1001, timed: 1001 }, core: { requests: 1000, timed: 1000 } },
    })
  })

  it('does not count successes from an earlier epoch in the new step', () => {
    const { guard, serve, takeDelta } = open()
    serve(500)
    guard.adoptSteps(stepsAt(2))
    // These requests were routed before the state changed.
    serve(500)
    serve(3, 2)
    expect(takeDelta()).toMatchObject({
      version: 2,
      native: { requests: 3 },
      usual: { native: { requests: 503 } },
    })
  })

  it('stops a route after six failures in a step, despite successes from an earlier epoch', () => {
    const { guard, serve, fail } = open()
    serve(1)
    fail(5)
    guard.adoptSteps(stepsAt(2))
    serve(500)
    fail(5, 2)
    expect(guard.isStopped(label)).toBe(false)
    fail(1, 2)
    expect(guard.isStopped(label)).toBe(true)
  })

  it('counts successes from before a failing poll, but none while polls fail', () => {
    const { serve, takeDelta } = open()
    serve(100)
    database = 'failing'
    serve(10)
    wait(countIntervalMs)
    serve(10)
    database = 'normal'
    serve(1)
    expect(takeDelta()).toMatchObject({ native: { requests: 101 }, usual: { native: { requests: 101 } } })
  })

  it('counts successes from before a failing poll even if nothing is served during it', () => {
    const { serve, takeDelta } = open()
    serve(100)
    database = 'failing'
    wait(countIntervalMs)
    database = 'normal'
    expect(takeDelta()).toMatchObject({ native: { requests: 100 } })
  })

  it('discards earlier failures at the first request after a failing poll', () => {
    const { guard, serve, fail } = open()
    fail(5)
    database = 'failing'
    serve(1)
    database = 'normal'
    fail(5)
    expect(guard.isStopped(label)).toBe(false)
  })

  describe('without stored baselines', () => {
    const report = (run: (opened: ReturnType<typeof open>) => void) =>
      [countIntervalMs, 0].map((interval) => {
        const opened = open({ isUsualKnown: false, countIntervalMs: interval })
        run(opened)
        return opened.takeDelta()
      })

    it('sets the slow threshold at the same request as a guard without a tally', () => {
      const [tallied, judged] = report(({ serve, settle }) => {
        serve(150)
        // The threshold comes from the p95 of the first 200 requests. All later requests are timed.
        settle(100, settledByNative(label, 'served', 1, 300))
        serve(2000)
      })
      expect(tallied).toEqual(judged)
      expect(tallied).toMatchObject({ native: { requests: 2250, timed: 2051, slow: 0 } })
    })

    it('expects the same error rate as a guard without a tally, even after a new day begins', () => {
      const [tallied, judged] = report(({ serve, fail, takeDelta }) => {
        serve(1000)
        for (let count = 0; count < 10; count += 1) {
          fail(1)
          serve(100)
        }
        expect(takeDelta()).toMatchObject({ goodErrorRate: 0.001 })
        wait(dayMs)
        serve(1)
        wait(countIntervalMs)
        serve(500)
      })
      expect(tallied).toEqual(judged)
      expect(tallied?.goodErrorRate).toBeGreaterThan(0.004)
    })

    it('expects the same error rate as a guard without a tally, even after baselines are read', () => {
      const [tallied, judged] = report(({ guard, serve, fail }) => {
        serve(1000)
        fail(4)
        serve(1000)
        guard.adoptBaselines(new Map())
      })
      expect(tallied).toEqual(judged)
      expect(tallied?.goodErrorRate).toBe(4 / 2004)
    })
  })

  it("counts other routes' requests before it compares a slow response with them", () => {
    const { guard, serve, settle } = open()
    serve(1)
    serve(100, 1, other)
    for (let count = 0; count < 40; count += 1) {
      settle(1, settledByNative(label, 'served', 1, 1000))
      serve(1, 1, other)
    }
    expect([guard.isStopped(label), guard.isStopped(other)]).toEqual([true, false])
  })

  it('counts the successes between two series of fallbacks', () => {
    const { guard, serve, settle } = open()
    const repeated = settledByCore(label, false, { afterNative: true })
    settle(5, repeated)
    serve(1000)
    settle(5, repeated)
    expect(guard.isStopped(label)).toBe(false)
    settle(1, repeated)
    expect(guard.isStopped(label)).toBe(true)
  })

  it('ends a pause on time, and logs its end with the next count of the tally', () => {
    const { guard, settle, log } = open()
    const messages = () => log.lines.map(({ message }) => message)
    settle(6, settledByNative(label, 'fell-back'))
    expect([guard.mayTryNative(label), guard.listUntried()]).toEqual([false, [label]])
    clock.now += 10_000
    expect([guard.mayTryNative(label), guard.isPaused(label), guard.listUntried()]).toEqual([true, false, []])
    expect(messages()).toEqual(['route paused'])
    vi.advanceTimersByTime(countIntervalMs)
    expect(messages()).toEqual(['route paused', 'route pause ended'])
  })

  it('compares the fallbacks with all successes of the last ten seconds', () => {
    const { guard, serve, settle } = open()
    serve(80)
    settle(20, settledByNative(label, 'fell-back'))
    expect(guard.isPaused(label)).toBe(false)
    settle(1, settledByNative(label, 'fell-back'))
    expect(guard.isPaused(label)).toBe(true)
  })

  it('stops counting once it is closed', () => {
    const { guard } = open()
    guard.close()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a guard without timers', () => {
  it('counts each request immediately, and logs the end of a pause with the next request', () => {
    const log = createRecordingLog()
    let now = 1_000_000
    const guard = createNativeGuard({
      steps: stepsAt(1),
      evidenceKeys: new Map(),
      stored: null,
      health: { state: () => 'normal' },
      log,
      now: () => now,
    })
    for (let sent = 0; sent < 6; sent += 1) guard.settled(settledByNative(label, 'fell-back'))
    now += 10_000
    expect(guard.mayTryNative(label)).toBe(true)
    expect(log.lines).toHaveLength(1)
    guard.settled(settledByNative(label, 'served'))
    expect(log.lines.map(({ message }) => message)).toEqual(['route paused', 'route pause ended'])
  })
})
