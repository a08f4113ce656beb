import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { createNativeGuard } from '#migration/control/guard.ts'
import type { RouteStop, StoredChange, StoredRollback } from '#migration/control/route-stops.ts'
import { unmeasuredDatabase } from '#migration/model/stop/database-health.ts'
import type { ObservedStep } from '#migration/model/stop/observed-step.ts'
import { activeTrace, runInTrace } from '#shared/tracing/trace.ts'
import { createRecordingLog, type RecordingLog } from '#test/support/recording-log.ts'
import { settledByCore, settledByNative } from '#test/support/settled.ts'

const label = 'libraries.detail'
const stepAt = (version: number, step: Partial<ObservedStep> = {}): ReadonlyMap<Label, ObservedStep> =>
  new Map([[label, { version, epoch: 1, nativeTraffic: 'some', weightBp: 100, isHeld: false, ...step }]])

const createStored = ({
  failures = 0,
  outcome = { kind: 'changed' },
}: {
  failures?: number
  outcome?: StoredChange
} = {}) => {
  const stops: RouteStop[] = []
  const held: number[] = []
  let attempts = 0
  const stored: StoredRollback = {
    rollBack: async (stop) => {
      attempts += 1
      if (attempts <= failures) throw new Error('database unavailable')
      stops.push(stop)
      return outcome
    },
    hold: async (_label, version) => {
      held.push(version)
      return outcome
    },
  }
  return { stored, stops, held }
}

const open = (
  steps = stepAt(1),
  { stored = null, log = createRecordingLog() }: { stored?: StoredRollback | null; log?: RecordingLog } = {},
) =>
  createNativeGuard({
    steps,
    stored,
    log,
    retryDelayMs: 5,
    health: unmeasuredDatabase,
    evidenceKeys: new Map([[label, 'key-1']]),
  })

const fail = (guard: ReturnType<typeof open>, count: number) => {
  for (let sent = 0; sent < count; sent += 1) guard.settled(settledByNative(label, 'failed'))
}

describe('a guard', () => {
  it('changes the stored state outside the trace of the request that triggered the stop', async () => {
    const traces: unknown[] = []
    const { stored } = createStored()
    const rollBack: StoredRollback['rollBack'] = (stop) => {
      traces.push(activeTrace())
      return stored.rollBack(stop)
    }
    const guard = open(stepAt(1), { stored: { ...stored, rollBack } })
    const identity = { traceId: null, traceparent: null }
    runInTrace({ identity, sent: null, span: null }, () => fail(guard, 10))
    expect(traces).toEqual([undefined])
    guard.close()
  })

  it('stops a route within ten native requests if they all fail, and stops no other route', () => {
    const guard = open()
    fail(guard, 5)
    expect(guard.isStopped(label)).toBe(false)
    fail(guard, 1)
    expect(guard.listUntried()).toEqual([label])
  })

  it("counts requests that were routed before another route's state changed", () => {
    const guard = open()
    guard.adoptSteps(stepAt(1, { epoch: 2 }))
    fail(guard, 6)
    expect(guard.isStopped(label)).toBe(true)
  })

  it("does not count requests that were routed before the route's own state changed", () => {
    const guard = open()
    guard.adoptSteps(stepAt(2, { epoch: 2 }))
    fail(guard, 100)
    expect(guard.isStopped(label)).toBe(false)
  })

  it('rolls the stored state back once, however many requests fail in the meantime', async () => {
    const { stored, stops } = createStored()
    fail(open(stepAt(7), { stored }), 100)
    await expect
      .poll(() => stops)
      .toEqual([{ label, version: 7, cause: 'errors', observer: 'instance', evidenceKey: 'key-1' }])
  })

  it('keeps a route stopped while the database is unavailable, then rolls the stored state back', async () => {
    const { stored, stops } = createStored({ failures: 3 })
    const guard = open(stepAt(1), { stored })
    fail(guard, 6)
    expect(guard.isStopped(label)).toBe(true)
    await expect.poll(() => stops).toHaveLength(1)
  })

  it('keeps a route stopped until a different percentage is chosen for it', () => {
    const guard = open()
    fail(guard, 6)
    guard.adoptSteps(stepAt(1))
    expect(guard.isStopped(label)).toBe(true)
    guard.adoptSteps(stepAt(2, { weightBp: 500 }))
    expect(guard.isStopped(label)).toBe(false)
    fail(guard, 5)
    expect(guard.isStopped(label)).toBe(false)
  })

  it('keeps a route stopped when only its mode changes, and rolls the new state back', async () => {
    const { stored, stops } = createStored()
    const guard = open(stepAt(7), { stored })
    fail(guard, 6)
    guard.adoptSteps(stepAt(8))
    expect(guard.isStopped(label)).toBe(true)
    await expect.poll(() => stops.map(({ version }) => version)).toEqual([7, 8])
    guard.adoptSteps(stepAt(9, { nativeTraffic: 'none', weightBp: 0 }))
    expect(guard.isStopped(label)).toBe(false)
  })

  it('resumes a route if the guard missed a version, which may have had a different percentage', () => {
    const guard = open(stepAt(7))
    fail(guard, 6)
    guard.adoptSteps(stepAt(9))
    expect(guard.isStopped(label)).toBe(false)
  })

  it('stops a route even after a restored backup lowered the epoch but not the version', () => {
    const guard = open(stepAt(1, { epoch: 9 }))
    guard.adoptSteps(stepAt(1, { epoch: 1 }))
    fail(guard, 6)
    expect(guard.isStopped(label)).toBe(true)
  })

  it('does not repeat a rejected rollback until the routing state changes, even without a handler for the route', async () => {
    const { stored, stops } = createStored({ outcome: { kind: 'illegal', reason: 'libraries.* is held' } })
    const guard = open(new Map(), { stored })
    const alarm = { label, version: 3, cause: 'errors', observer: 'fleet', evidenceKey: 'key-2' } as const
    for (let evaluation = 0; evaluation < 10; evaluation += 1) guard.stop(alarm)
    await expect.poll(() => stops).toHaveLength(1)
    guard.adoptSteps(new Map())
    guard.stop(alarm)
    await expect.poll(() => stops).toHaveLength(2)
  })

  it('neither stops nor rolls back a held route', async () => {
    const { stored, stops } = createStored()
    const guard = open(stepAt(1, { isHeld: true }), { stored })
    fail(guard, 100)
    expect([guard.isStopped(label), stops]).toEqual([false, []])
  })

  it("acts on the fleet's alarm, but not if it concerns a different version", () => {
    const guard = open(stepAt(2))
    guard.stop({ label, version: 1, cause: 'errors', observer: 'fleet', evidenceKey: null })
    expect(guard.isStopped(label)).toBe(false)
    guard.stop({ label, version: 2, cause: 'slowness', observer: 'fleet', evidenceKey: null })
    expect(guard.isStopped(label)).toBe(true)
  })

  it('holds a route as soon as more than 12 % of its requests fail on the core', async () => {
    const { stored, held } = createStored()
    const guard = open(stepAt(3), { stored })
    for (let count = 0; count < 1000; count += 1) guard.settled(settledByCore(label, count % 5 === 0))
    guard.takeDeltas()
    guard.takeDeltas()
    await expect.poll(() => held).toEqual([3])
  })

  const held = 'libraries.* is held, so only a person can move libraries.detail'

  it('does not repeat a rejected rollback, and resumes the route when it learns that the route is held', async () => {
    const log = createRecordingLog()
    const { stored, stops } = createStored({ outcome: { kind: 'illegal', reason: held } })
    const guard = open(stepAt(1), { stored, log })
    fail(guard, 6)
    const rejected = { message: 'native route rollback rejected', fields: { route: label, reason: held } }
    await expect.poll(() => log.lines.at(-1)).toMatchObject(rejected)
    fail(guard, 100)
    expect([stops.length, guard.isStopped(label)]).toEqual([1, true])
    guard.adoptSteps(stepAt(1, { isHeld: true }))
    expect(guard.isStopped(label)).toBe(false)
  })

  it.each([
    ['stale', { kind: 'stale' }, 'native route changed before its hold', {}],
    ['illegal', { kind: 'illegal', reason: held }, 'native route hold rejected', { reason: held }],
  ] as const)(
    'requests a hold only once if the request is %s, and logs that nothing was held',
    async (_, outcome, message, reason) => {
      const log = createRecordingLog()
      const { stored, held: requested } = createStored({ outcome })
      const guard = open(stepAt(3), { stored, log })
      for (let count = 0; count < 1000; count += 1) guard.settled(settledByCore(label, count % 5 === 0))
      guard.takeDeltas()
      await expect
        .poll(() => log.lines)
        .toEqual([{ level: 'warn', message, fields: { route: label, stateVersion: 3, ...reason } }])
      guard.takeDeltas()
      expect(requested).toEqual([3])
    },
  )
})
