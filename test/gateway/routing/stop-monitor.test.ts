import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { createStopMonitor, type RouteStop, type StoredRollback } from '#gateway/routing/stop-monitor.ts'
import type { ObservedStep } from '#migration/routing/stop/observed-step.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const label = 'libraries.detail'
const stepAt = (version: number, step: Partial<ObservedStep> = {}): ReadonlyMap<Label, ObservedStep> =>
  new Map([[label, { version, nativeShare: 'some', isHeld: false, ...step }]])

const createStored = (failures = 0) => {
  const stops: RouteStop[] = []
  const held: number[] = []
  let attempts = 0
  const stored: StoredRollback = {
    rollBack: async (stop) => {
      attempts += 1
      if (attempts <= failures) throw new Error('database unavailable')
      stops.push(stop)
      return true
    },
    hold: async (_label, version) => void held.push(version),
  }
  return { stored, stops, held }
}

const open = (steps = stepAt(1), { stored = null }: { stored?: StoredRollback | null } = {}) =>
  createStopMonitor({ steps, stored, log: createRecordingLog(), retryDelayMs: 5 })

const fail = (monitor: ReturnType<typeof open>, count: number) => {
  for (let sent = 0; sent < count; sent += 1) monitor.recordNative(label, true, false, 5)
}

describe('a stop monitor', () => {
  it('stops a route of which every native request fails within ten of them, and no other route', () => {
    const monitor = open()
    fail(monitor, 5)
    expect(monitor.isStopped(label)).toBe(false)
    fail(monitor, 1)
    expect(monitor.listStopped()).toEqual([label])
  })

  it('rolls the stored state back once, however many requests fail meanwhile', async () => {
    const { stored, stops } = createStored()
    fail(open(stepAt(7), { stored }), 100)
    await expect.poll(() => stops).toEqual([{ label, version: 7, cause: 'errors', observer: 'instance' }])
  })

  it('stays stopped without the database, and rolls the stored state back when it is available', async () => {
    const { stored, stops } = createStored(3)
    const monitor = open(stepAt(1), { stored })
    fail(monitor, 6)
    expect(monitor.isStopped(label)).toBe(true)
    await expect.poll(() => stops).toHaveLength(1)
  })

  it('stays stopped until the state of the route has another version', () => {
    const monitor = open()
    fail(monitor, 6)
    monitor.adoptSteps(stepAt(1))
    expect(monitor.isStopped(label)).toBe(true)
    monitor.adoptSteps(stepAt(2))
    expect(monitor.isStopped(label)).toBe(false)
    fail(monitor, 5)
    expect(monitor.isStopped(label)).toBe(false)
  })

  it('neither stops nor rolls back a held route', async () => {
    const { stored, stops } = createStored()
    const monitor = open(stepAt(1, { isHeld: true }), { stored })
    fail(monitor, 100)
    expect([monitor.isStopped(label), stops]).toEqual([false, []])
  })

  it('acts on an alarm of the fleet, but not on one about another version', () => {
    const monitor = open(stepAt(2))
    monitor.stop({ label, version: 1, cause: 'errors', observer: 'fleet' })
    expect(monitor.isStopped(label)).toBe(false)
    monitor.stop({ label, version: 2, cause: 'slowness', observer: 'fleet' })
    expect(monitor.isStopped(label)).toBe(true)
  })

  it('holds a route once of which the core fails in more than 12 % of its requests', async () => {
    const { stored, held } = createStored()
    const monitor = open(stepAt(3), { stored })
    for (let count = 0; count < 1000; count += 1) monitor.recordCore(label, count % 5 === 0, 5)
    monitor.takeDeltas()
    monitor.takeDeltas()
    await expect.poll(() => held).toEqual([3])
  })
})
