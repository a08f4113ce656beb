import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { type Database, openDatabase } from '#db/client/connection.ts'
import { startFleetMonitor } from '#migration/control/fleet-monitor.ts'
import { type BaselineSchedule, refreshBaselines } from '#migration/control/route-baselines.ts'
import type { UsualBehaviours } from '#migration/model/stop/expectations.ts'
import { createRequestCounts } from '#migration/model/stop/request-counts.ts'
import type { MonitorDelta } from '#migration/model/stop/stored-observations.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const label = 'libraries.detail'
const minuteMs = 60_000
const behaviour = (p95Ms: number) => ({ requests: 1000, errors: 1, timed: 999, p95Ms })

const reportOf = (p95Ms: number, evidenceKey = 'key'): MonitorDelta => ({
  version: 1,
  epoch: 1,
  evidenceKey,
  native: createRequestCounts(),
  core: createRequestCounts(),
  goodErrorRate: 0.001,
  isSelfCompared: false,
  requestsPerDay: 1000,
  usual: { core: behaviour(p95Ms / 2), native: behaviour(p95Ms) },
})

describe('route baselines', () => {
  let test: TestDatabase
  let database: Database
  beforeAll(async () => {
    test = await createTestDatabase()
    database = openDatabase(test.url, { connections: 1 })
  })
  afterAll(async () => {
    await database.close()
    await test.close()
  })

  const createInstance = () => {
    const schedule: BaselineSchedule = { refreshedAt: null }
    let adopted: ReadonlyMap<Label, UsualBehaviours> = new Map()
    const guard = {
      adoptBaselines: (baselines: typeof adopted) => {
        adopted = baselines
      },
    }
    return {
      adopted: () => adopted.get(label),
      refresh: (at: number, reports: readonly MonitorDelta[] = []) =>
        refreshBaselines(
          database.db,
          guard,
          reports.length === 0 ? new Map() : new Map([[label, reports]]),
          schedule,
          at,
        ),
    }
  }
  const readRows = () => test.sql`select label, side from route_baseline order by side`

  it('are stored in one row per side, and are known to an instance that has just started', async () => {
    await createInstance().refresh(0, [reportOf(10)])
    const restarted = createInstance()
    await restarted.refresh(minuteMs)
    expect(restarted.adopted()).toMatchObject({ core: { p95Ms: 5 }, native: { p95Ms: 10 } })
    expect(await readRows()).toEqual([
      { label, side: 'core' },
      { label, side: 'native' },
    ])
  })

  it('are written at most once every five minutes across all instances', async () => {
    await createInstance().refresh(2 * minuteMs, [reportOf(50)])
    const reader = createInstance()
    await reader.refresh(2 * minuteMs)
    expect(reader.adopted()).toMatchObject({ native: { p95Ms: 10 } })
    await test.sql`update route_baseline set written_at = now() - interval '6 minutes'`
    await createInstance().refresh(3 * minuteMs, [reportOf(50)])
    await reader.refresh(3 * minuteMs)
    expect(reader.adopted()).toMatchObject({ native: { p95Ms: 10 } })
    await reader.refresh(8 * minuteMs)
    expect(reader.adopted()).toMatchObject({ native: { p95Ms: 50 } })
    expect(await readRows()).toHaveLength(2)
  })

  it('are not replaced by the first measurement of new code', async () => {
    await test.sql`update route_baseline set written_at = now() - interval '6 minutes'`
    await createInstance().refresh(9 * minuteMs, [reportOf(900, 'new')])
    const restarted = createInstance()
    await restarted.refresh(9 * minuteMs)
    expect(restarted.adopted()).toMatchObject({ native: { p95Ms: 50 } })
  })

  it('count as unknown if this version cannot read them', async () => {
    await test.sql`update route_baseline set baseline = '[]' where side = 'core'`
    const instance = createInstance()
    await instance.refresh(10 * minuteMs)
    expect(instance.adopted()).toMatchObject({ core: null, native: { p95Ms: 50 } })
  })

  it('are logged as unavailable while they cannot be read, and nothing else fails', async () => {
    await test.sql`alter table route_baseline rename to renamed`
    const log = createRecordingLog()
    const guard = { takeDeltas: () => new Map(), stop: () => {}, adoptBaselines: () => {} }
    const monitor = startFleetMonitor({ db: database.db, instanceId: 'i', guard, log })
    await monitor.close()
    await test.sql`alter table renamed rename to route_baseline`
    expect(log.lines.map(({ message }) => message)).toEqual(['failed to refresh route baselines'])
  })
})
