import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { evaluateFleet } from '#migration/control/fleet-monitor.ts'
import { createNativeGuard } from '#migration/control/guard.ts'
import type { StoredRollback } from '#migration/control/route-stops.ts'
import { unmeasuredDatabase } from '#migration/model/stop/database-health.ts'
import type { ObservedStep } from '#migration/model/stop/observed-step.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { settledByCore, settledByNative } from '#test/support/settled.ts'

const label = 'libraries.detail'
type Steps = ReadonlyMap<Label, ObservedStep>

interface InstanceOptions {
  readonly epoch?: number
  readonly evidenceKey?: string
  readonly nativeTraffic?: 'some' | 'all'
  readonly stored?: StoredRollback | null
}

describe('the fleet monitor', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())

  const setEpoch = (epoch: number) => database.sql`update routing_epoch set epoch = ${epoch}`

  const createInstance = (
    version: number,
    { epoch = 0, evidenceKey = 'key-1', nativeTraffic = 'some', stored = null }: InstanceOptions = {},
  ) => {
    const steps: Steps = new Map([
      [
        label,
        { version, epoch, nativeTraffic, weightBp: nativeTraffic === 'all' ? 10_000 : 100, isHeld: false },
      ],
    ])
    const evidenceKeys = new Map([[label, evidenceKey] as const])
    const log = createRecordingLog()
    const guard = createNativeGuard({ steps, evidenceKeys, stored, health: unmeasuredDatabase, log })
    const instanceId = crypto.randomUUID()
    return {
      guard,
      log,
      evaluate: () => evaluateFleet({ db: database.db, instanceId, guard }),
      record: (failures: number, successes = 0, hasCoreFailed = false) => {
        for (let count = 0; count < failures; count += 1)
          guard.settled(
            hasCoreFailed
              ? settledByCore(label, true, { epoch, afterNative: true })
              : settledByNative(label, 'failed', epoch),
          )
        for (let count = 0; count < successes; count += 1)
          guard.settled(settledByNative(label, 'served', epoch))
      },
    }
  }

  // Whether two instances stop the route after three failures each, too few for an alarm on one instance alone.
  const isStoppedByFleet = async (version: number, epoch: number) => {
    const instances = [createInstance(version, { epoch }), createInstance(version, { epoch })]
    for (const instance of instances) {
      instance.record(3)
      await instance.evaluate()
    }
    return instances.at(-1)?.guard.isStopped(label)
  }

  it('stops a route that fails on several instances, even if no instance alone sees enough failures', async () => {
    const instances = [createInstance(1), createInstance(1), createInstance(1)]
    for (const instance of instances) {
      instance.record(2)
      await instance.evaluate()
    }
    expect(instances.map(({ guard }) => guard.isStopped(label))).toEqual([false, false, true])
    // While the state has not changed, the alarm is raised again on an instance that missed it.
    instances[0]?.record(1)
    await instances[0]?.evaluate()
    expect(instances[0]?.guard.isStopped(label)).toBe(true)
  })

  it("does not count requests from before the route's state changed", async () => {
    const before = createInstance(10)
    before.record(5)
    await before.evaluate()
    await setEpoch(1)
    const after = createInstance(11, { epoch: 1 })
    after.record(5)
    await after.evaluate()
    const late = createInstance(10)
    late.record(5)
    await late.evaluate()
    expect([after, late].map(({ guard }) => guard.isStopped(label))).toEqual([false, false])
  })

  it('observes a route even if its version starts over because its row was deleted', async () => {
    await setEpoch(2)
    expect(await isStoppedByFleet(0, 2)).toBe(true)
  })

  it('observes a route after a backup with a lower epoch was restored', async () => {
    await setEpoch(9)
    const before = createInstance(30, { epoch: 9 })
    before.record(1)
    await before.evaluate()
    await setEpoch(3)
    before.record(1)
    await before.evaluate()
    expect(await isStoppedByFleet(5, 3)).toBe(true)
  })

  it('marks the code that failed in a rolling deploy, whichever instance evaluates', async () => {
    await setEpoch(4)
    const rolledBack: unknown[] = []
    const stored: StoredRollback = {
      rollBack: async ({ evidenceKey, observer }) => {
        rolledBack.push({ evidenceKey, observer })
        return { kind: 'changed' }
      },
      hold: async () => ({ kind: 'changed' }),
    }
    const bad = [1, 2].map(() => createInstance(50, { epoch: 4, evidenceKey: 'bad', stored }))
    const good = createInstance(50, { epoch: 4, evidenceKey: 'good', stored })
    for (const instance of bad) instance.record(3)
    good.record(0, 50)
    // While this lock is held, the bad instances can report but not evaluate.
    await database.sql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('fleet evaluation', 0))`
      for (const instance of bad) await instance.evaluate()
    })
    await good.evaluate()
    expect(rolledBack).toEqual([{ evidenceKey: 'bad', observer: 'fleet' }])
  })

  it('ignores failures that occur on the core too', async () => {
    const instances = Array.from({ length: 5 }, () => createInstance(20, { epoch: 4 }))
    for (const instance of instances) {
      instance.record(5, 0, true)
      await instance.evaluate()
    }
    expect(instances.some(({ guard }) => guard.isStopped(label))).toBe(false)
  })

  it('evaluates on one instance at a time, without making the others wait', async () => {
    const waiting = createInstance(60, { epoch: 4 })
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

  it("counts by the database's clock, even if the instance's clock is wrong", async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 })
    const instance = createInstance(63, { epoch: 4 })
    instance.record(1)
    await instance.evaluate()
    vi.useRealTimers()
    const [stored] = await database.sql`
      select (observed->>'halfMinute')::int - floor(extract(epoch from now()) / 30)::int as difference
      from fleet_observations where label = '*'`
    expect(Math.abs(stored?.difference)).toBeLessThanOrEqual(1)
  })

  it('does not wait for reports that are being replaced, but leaves them to the next evaluation', async () => {
    const [first, second] = [createInstance(61, { epoch: 4 }), createInstance(61, { epoch: 4 })]
    first.record(1)
    await database.sql`
      insert into route_observations values ('busy', ${label}, '{}', now()), ('other', ${label}, '{}', now())`
    await database.sql.begin(async (sql) => {
      await sql`update route_observations set report = '{}' where instance_id = 'busy'`
      await first.evaluate()
    })
    const remaining = () => database.sql`select instance_id from route_observations`
    expect(await remaining()).toEqual([{ instance_id: 'busy' }])
    second.record(1)
    await second.evaluate()
    expect(await remaining()).toEqual([])
  })

  it('ignores reports and stored observations that it cannot read', async () => {
    await database.sql`insert into route_observations values ('old', ${label}, '{"version":"x"}', now())`
    await database.sql`insert into fleet_observations values ('libraries.list', '[]')`
    const instance = createInstance(62, { epoch: 4 })
    instance.record(1)
    await expect(instance.evaluate()).resolves.toHaveProperty('size', 1)
  })
})
