import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { evaluateFleet } from '#gateway/routing/fleet-monitor.ts'
import { createStopMonitor } from '#gateway/routing/stop-monitor.ts'
import type { ObservedStep } from '#migration/routing/stop/observed-step.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const label = 'libraries.detail'
type Steps = ReadonlyMap<Label, ObservedStep>

describe('the fleet monitor', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())

  const createInstance = (version: number) => {
    const steps: Steps = new Map([[label, { version, nativeShare: 'some', isHeld: false }]])
    const stops = createStopMonitor({ steps, stored: null, log: createRecordingLog() })
    const instanceId = crypto.randomUUID()
    return {
      stops,
      evaluate: () => evaluateFleet({ db: database.db, instanceId, stops }),
      record: (failures: number, successes = 0, hasCoreFailed = false) => {
        for (let count = 0; count < failures; count += 1) stops.recordNative(label, true, hasCoreFailed, 5)
        for (let count = 0; count < successes; count += 1) stops.recordNative(label, false, false, 5)
      },
    }
  }

  it('stops a route that fails on several instances, each with too few requests to notice', async () => {
    const instances = [createInstance(1), createInstance(1), createInstance(1)]
    for (const instance of instances) {
      instance.record(2)
      await instance.evaluate()
    }
    expect(instances.map(({ stops }) => stops.isStopped(label))).toEqual([false, false, true])
    // The alarm is raised again on an instance that did not see it, while the state has not changed.
    instances[0]?.record(1)
    await instances[0]?.evaluate()
    expect(instances[0]?.stops.isStopped(label)).toBe(true)
  })

  it('does not count what was observed before the state of the route changed', async () => {
    const before = createInstance(10)
    before.record(5)
    await before.evaluate()
    const after = createInstance(11)
    after.record(5)
    await after.evaluate()
    const late = createInstance(10)
    late.record(5)
    await late.evaluate()
    expect([after, late].map(({ stops }) => stops.isStopped(label))).toEqual([false, false])
  })

  it('ignores failures that the core repeats', async () => {
    const instances = Array.from({ length: 5 }, () => createInstance(20))
    for (const instance of instances) {
      instance.record(5, 0, true)
      await instance.evaluate()
    }
    expect(instances.some(({ stops }) => stops.isStopped(label))).toBe(false)
  })

  it('evaluates on one instance at a time, without waiting', async () => {
    const waiting = createInstance(30)
    waiting.record(5)
    await database.sql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('fleet evaluation', 0))`
      await waiting.evaluate()
    })
    expect(await database.sql`select label from route_observations`).toEqual([{ label }])
    waiting.record(1)
    await waiting.evaluate()
    expect(await database.sql`select label from route_observations`).toEqual([])
  })

  it('ignores reports and stored observations that it cannot read', async () => {
    await database.sql`insert into route_observations values ('old', ${label}, '{"version":"x"}', now())`
    await database.sql`insert into fleet_observations values ('libraries.list', '[]')`
    const instance = createInstance(40)
    instance.record(1)
    await expect(instance.evaluate()).resolves.toBeUndefined()
  })
})
