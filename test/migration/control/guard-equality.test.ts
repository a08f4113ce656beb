import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import type { SettledRequest } from '#gateway/request/route-control.ts'
import { createNativeGuard, type NativeGuard } from '#migration/control/guard.ts'
import type { Alarm } from '#migration/model/stop/alarm.ts'
import type { DatabaseHealth, DatabaseState } from '#migration/model/stop/database-health.ts'
import type { UsualBehaviours } from '#migration/model/stop/expectations.ts'
import { keepEpochs, type ObservedStep } from '#migration/model/stop/observed-step.ts'
import { createRequestTally } from '#migration/model/stop/request-counts.ts'
import { RouteMonitor } from '#migration/model/stop/route-monitor.ts'
import { createRandom } from '#test/support/random.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const observations = 1_000_000
const perSecond = 400
const countIntervalMs = 250
const reportIntervalMs = 5000
const discardLogIntervalMs = 10 * 60_000
const startedAt = 1_200_000
const durationMs = (observations / perSecond) * 1000
/**
 * The run takes about 1.7 of these days, so one new day begins during it. Which requests belong to the new day depends
 * on those of the day before.
 */
const dayMs = Math.ceil((0.6 * durationMs) / reportIntervalMs) * reportIntervalMs

const observed: readonly Label[] = [
  'libraries.detail',
  'libraries.list',
  'libraries.create',
  'tracks.list',
  'tracks.detail',
]
/** No change of state could stop native on this route, so guards do not observe it. */
const unobserved: Label = 'libraries.shared-with-me'
const labels = [...observed, unobserved]
const usual: UsualBehaviours = {
  core: { requests: 2000, errors: 4, timed: 1996, p95Ms: 10 },
  native: { requests: 2000, errors: 2, timed: 1998, p95Ms: 10 },
}

type Steps = ReadonlyMap<Label, ObservedStep>

const traffics = ['all', 'some', 'some', 'none'] as const

/** A route's step at this version of its state. Each version gives native a different share of the traffic. */
const stepOf = (index: number, version: number, epoch: number): ObservedStep => {
  const nativeTraffic = traffics[(index + version) % traffics.length] ?? 'none'
  const weightBp = { all: 10_000, some: 100 + version, none: 0 }[nativeTraffic]
  return { version, epoch, nativeTraffic, weightBp, isHeld: false }
}

/** Passes each request to its `RouteMonitor` immediately, and records what a guard would log about the alarms. */
const createReference = (initialSteps: Steps, health: DatabaseHealth, now: () => number) => {
  const monitors = new Map<Label, RouteMonitor>()
  const allRoutes = createRequestTally()
  const stopped = new Set<Label>()
  const discardedAt = new Map<Label, number>()
  const events: unknown[] = []
  let steps = initialSteps
  let baselines: ReadonlyMap<Label, UsualBehaviours> = new Map()

  const findMonitor = (label: Label) => {
    const known = monitors.get(label)
    const step = steps.get(label)
    if (known || !step) return known
    const monitor = new RouteMonitor(step, allRoutes, { now, health, dayMs })
    monitor.adoptStored(baselines.get(label) ?? { core: null, native: null })
    monitors.set(label, monitor)
    return monitor
  }
  const note = (route: Label, stateVersion: number, alarm: Alarm | null) => {
    if (alarm === null) return
    const { cause, peer } = alarm
    if (peer === null) {
      if (!stopped.has(route)) events.push([now(), 'native route stopped', { route, stateVersion, cause }])
      stopped.add(route)
      return
    }
    const last = discardedAt.get(route)
    if (last !== undefined && now() - last < discardLogIntervalMs) return
    discardedAt.set(route, now())
    events.push([now(), 'native route alarm discarded', { route, stateVersion, cause, peer }])
  }
  return {
    events,
    settled(request: SettledRequest) {
      const { label, epoch } = request
      const monitor = findMonitor(label)
      if (!monitor) return
      const record = (failed: boolean, hasCoreFailed: boolean, ms: number) =>
        note(label, monitor.version, monitor.recordNative(failed, hasCoreFailed, ms, epoch))
      if (request.side === 'core') {
        if (request.nativeMs === null) monitor.recordCore(request.failed, request.durationMs, epoch)
        else record(true, request.failed, request.nativeMs)
      } else if (request.result !== 'fell-back' && request.durationMs !== null)
        record(request.result === 'failed', false, request.durationMs)
    },
    adoptSteps(adopted: Steps) {
      steps = keepEpochs(steps, adopted)
      for (const [label, monitor] of monitors) {
        const step = adopted.get(label)
        if (!step || monitor.isAt(step)) continue
        monitor.beginStep(step)
        stopped.delete(label)
      }
    },
    adoptBaselines(adopted: typeof baselines) {
      baselines = adopted
      for (const [label, monitor] of monitors)
        monitor.adoptStored(adopted.get(label) ?? { core: null, native: null })
    },
    takeDeltas: () =>
      new Map(
        [...monitors].flatMap(([label, monitor]) => {
          const delta = monitor.takeDelta(null)
          return delta ? [[label, delta] as const] : []
        }),
      ),
  }
}

/** How native behaves for some seconds: how often it fails, falls back and is slow. */
interface Phase {
  readonly failed: number
  readonly slow: number
  readonly fellBack?: number
  readonly failureMs?: number
  readonly isDatabaseUnreachable?: boolean
  /** Whether the core fails and is slow as often as native. */
  readonly isShared?: boolean
}

const usually: Phase = { failed: 0.0005, slow: 0.03 }
const troubles: readonly Phase[] = [
  { ...usually, failed: 0.3 },
  { ...usually, failed: 0.03 },
  { ...usually, failed: 0.3, isShared: true },
  { ...usually, failed: 0.3, failureMs: 2500 },
  { ...usually, slow: 0.4 },
  { ...usually, slow: 0.2 },
  { ...usually, slow: 0.5, isShared: true },
  { ...usually, fellBack: 0.3 },
  { ...usually, fellBack: 0.5, isDatabaseUnreachable: true },
]

/** Draws how each route behaves for some seconds: mostly as usual. Sometimes all routes have the same trouble. */
const drawPhases = (random: () => number): ReadonlyMap<Label, Phase> => {
  const draw = () => troubles[Math.floor(random() * troubles.length)] ?? usually
  const common = random() < 0.15 ? draw() : null
  return new Map(labels.map((label) => [label, common ?? (random() < 0.15 ? draw() : usually)]))
}

const drawResults = (
  label: Label,
  phase: Phase,
  isNative: boolean,
  epoch: number,
  random: () => number,
): readonly SettledRequest[] => {
  const { isShared = false, failureMs = 5, fellBack = 0, isDatabaseUnreachable } = phase
  const ofCore = isShared ? phase : usually
  const { failed: failedRate, slow } = isNative ? phase : ofCore
  const failed = random() < failedRate
  const usualMs = random() < slow ? 200 : 4 + 4 * random()
  const ms = failed ? failureMs : usualMs
  const request = { label, epoch }
  if (!isNative) return [{ ...request, side: 'core', failed, durationMs: ms, nativeMs: null }]
  if (random() >= fellBack)
    return [{ ...request, side: 'native', result: failed ? 'failed' : 'served', durationMs: ms }]
  if (isDatabaseUnreachable) return [{ ...request, side: 'native', result: 'fell-back', durationMs: null }]
  const hasCoreFailed = random() < 0.2
  return [
    { ...request, side: 'native', result: 'fell-back', durationMs: ms },
    { ...request, side: 'core', failed: hasCoreFailed, durationMs: ms + 5, nativeMs: ms },
  ]
}

describe('a guard that counts its tally on a timer', () => {
  const guards: NativeGuard[] = []
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    for (const guard of guards.splice(0)) guard.close()
    vi.useRealTimers()
  })

  it('raises the same alarms and pauses as a guard that judges each request', { timeout: 300_000 }, () => {
    const random = createRandom(74)
    let now = startedAt
    let database: DatabaseState = 'normal'
    let epoch = 1
    const versions = observed.map(() => 1)
    const health = { state: () => database }
    const listSteps = (): Steps =>
      new Map(observed.map((label, index) => [label, stepOf(index, versions[index] ?? 1, epoch)]))

    const open = (interval?: number) => {
      const log = createRecordingLog()
      const events: unknown[] = []
      const note = (fields: Readonly<Record<string, unknown>>, message: string) => {
        const { observer: _, ...noted } = fields
        events.push([now, message, noted])
      }
      const guard = createNativeGuard({
        steps: listSteps(),
        evidenceKeys: new Map(),
        stored: null,
        health,
        dayMs,
        log: { ...log, info: () => {}, warn: note, error: note },
        now: () => now,
        ...(interval === undefined ? {} : { countIntervalMs: interval }),
      })
      guards.push(guard)
      return { guard, events }
    }
    const isPause = (event: unknown) => JSON.stringify(event).includes('route pause')
    const tallying = open(countIntervalMs)
    const perRequest = open()
    const reference = createReference(listSteps(), health, () => now)
    const all = [tallying.guard, perRequest.guard, reference]

    let phases = drawPhases(random)
    let countAt = now + countIntervalMs
    let phaseAt = now + 8000
    let stepAt = now + 11_000
    let healthAt = now + 40_000
    let baselinesAt = now + 60_000
    let reportAt = now + reportIntervalMs
    let settledCount = 0

    const changeStep = () => {
      const index = Math.floor(random() * observed.length)
      versions[index] = (versions[index] ?? 1) + 1
      epoch += 1
      for (const each of all) each.adoptSteps(listSteps())
    }
    const tick = (at: number) => {
      // Ticks just before a second or half a minute ends, so that tallied requests count in the window they happened in.
      now = at - 0.001
      vi.advanceTimersByTime(countIntervalMs)
      if (at >= reportAt) {
        reportAt += reportIntervalMs
        const deltas = all.map((each) => each.takeDeltas())
        expect(deltas[0], `at ${at}`).toEqual(deltas[2])
        expect(deltas[1], `at ${at}`).toEqual(deltas[2])
      }
      if (at >= phaseAt) {
        phaseAt = at + 2000 + random() * 20_000
        phases = drawPhases(random)
      }
    }
    // Unlike reports and new phases, these changes also happen between two ticks.
    const change = () => {
      if (now >= stepAt) {
        stepAt = now + 2000 + random() * 15_000
        changeStep()
      }
      if (now >= healthAt) {
        const next = (['normal', 'slow', 'failing'] as const)[Math.floor(random() * 3)] ?? 'normal'
        database = database === 'normal' ? next : 'normal'
        healthAt = now + (database === 'normal' ? 40_000 : 9000) * (0.5 + random())
      }
      if (now >= baselinesAt) {
        baselinesAt = now + 100_000
        // Only some routes get a stored baseline.
        const known = observed.filter(() => random() < 0.6)
        for (const each of all) each.adoptBaselines(new Map(known.map((label) => [label, usual])))
      }
    }

    // The core's results for requests that fell back. Each settles some requests after native's result.
    const pending: SettledRequest[] = []
    const settle = (result: SettledRequest | undefined) => {
      if (result === undefined) return
      for (const each of all) each.settled(result)
      settledCount += 1
    }

    while (settledCount < observations) {
      const at = now - (1000 / perSecond) * Math.log(1 - random())
      while (countAt <= at) {
        tick(countAt)
        countAt += countIntervalMs
      }
      now = at
      change()
      const index = Math.floor(labels.length * random() ** 2)
      const label = labels[index] ?? unobserved
      const traffic = label === unobserved ? 'all' : stepOf(index, versions[index] ?? 1, epoch).nativeTraffic
      const isNative = traffic === 'all' || (traffic === 'some' && random() < 0.5)
      // Some requests were routed before the state changed.
      const decidedIn = random() < 0.02 ? Math.max(1, epoch - Math.floor(random() * 4)) : epoch
      const [first, afterwards] = drawResults(
        label,
        phases.get(label) ?? usually,
        isNative,
        decidedIn,
        random,
      )
      settle(first)
      if (afterwards) pending.push(afterwards)
      if (random() < 0.02) settle(pending.shift())
    }

    const alarmsOf = (events: readonly unknown[]) => events.filter((event) => !isPause(event))
    expect(alarmsOf(tallying.events)).toEqual(reference.events)
    expect(alarmsOf(perRequest.events)).toEqual(reference.events)
    expect(tallying.events.filter(isPause)).toEqual(perRequest.events.filter(isPause))
    // With this seed, every kind of alarm was raised.
    const kinds = JSON.stringify(reference.events)
    for (const kind of ['stopped', 'discarded', '"errors"', '"slowness"', '"core"', '"routes"'])
      expect(kinds).toContain(kind)
    expect(tallying.events.filter(isPause).length).toBeGreaterThan(0)
  })
})
