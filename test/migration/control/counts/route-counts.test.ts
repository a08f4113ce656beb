import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import {
  foldRouteCounts,
  type RouteCountsRow,
  saveRouteCounts,
  sumRouteCounts,
} from '#db/queries/routing/route-counts.ts'
import {
  createIntervalCounts,
  retainRouteCounts,
  startRouteCounts,
} from '#migration/control/counts/route-counts.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'

const label = 'libraries.detail'
const day = 86_400_000
const none = {
  native2xx: 0,
  native3xx: 0,
  native4xx: 0,
  native5xx: 0,
  core2xx: 0,
  core3xx: 0,
  core4xx: 0,
  core5xx: 0,
}

describe('the stored counts of requests', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())
  afterEach(() => database.sql`truncate route_counts, route_counts_daily`)

  const rowAt = (ageMs: number, values: Partial<RouteCountsRow> = {}): RouteCountsRow => ({
    ...none,
    label,
    instanceId: 'a',
    intervalStart: new Date(Date.now() - ageMs).toISOString(),
    ...values,
  })
  const readDaily = () =>
    database.sql`select day::text, label, native2xx::int, core5xx::int from route_counts_daily
      where label <> '*' order by 1, 2`
  const countRows = async () => {
    const [row] = await database.sql`select count(*)::int as rows from route_counts`
    return row?.rows
  }

  it('cover all instances, however often each one writes', async () => {
    const instances = ['a', 'b'].map((instanceId) => createIntervalCounts({ instanceId, now: Date.now }))
    const save = (rows: readonly RouteCountsRow[]) => saveRouteCounts(database.db, rows)
    for (const [index, counts] of instances.entries()) {
      for (let count = 0; count <= index; count += 1) counts.record(label, 'native', 200, 3)
      counts.record(label, 'proxy', 502, 3)
      await counts.write(save)
      // The response to this write is lost, so the next write repeats it.
      counts.record(label, 'native', 404, 3)
      await counts
        .write(async (rows) => {
          await save(rows)
          throw new Error('connection lost')
        })
        .catch(() => undefined)
      await counts.write(save)
    }
    expect(await sumRouteCounts(database.db, label, 3600)).toEqual({
      ...none,
      native2xx: 3,
      native4xx: 2,
      core5xx: 2,
    })
  })

  it('do not shrink when an older write completes after a newer one', async () => {
    const row = rowAt(0, { native2xx: 5 })
    const durations = [[0, 2, 3, 1], [0, 2, 2], [0, 2, 3], []]
    await saveRouteCounts(database.db, [{ ...row, nativeDurations: [0, 2, 3, 1] }])
    for (const nativeDurations of durations)
      await saveRouteCounts(database.db, [{ ...row, native2xx: 3, core2xx: 1, nativeDurations }])
    expect(await sumRouteCounts(database.db, label, 60)).toEqual({ ...none, native2xx: 5, core2xx: 1 })
    const stored = await database.sql`select native_durations, core_durations from route_counts`
    expect([...stored]).toEqual([{ native_durations: [0, 2, 3, 1], core_durations: [] }])
  })

  it('are summed over a period', async () => {
    await saveRouteCounts(database.db, [
      rowAt(1000, { core2xx: 1 }),
      rowAt(2 * 3_600_000, { core2xx: 10 }),
      rowAt(2 * day, { core2xx: 100 }),
      rowAt(8 * day, { core2xx: 1000 }),
    ])
    const sums = [3600, 86_400, 7 * 86_400].map((seconds) => sumRouteCounts(database.db, label, seconds))
    expect((await Promise.all(sums)).map(({ core2xx }) => core2xx)).toEqual([1, 11, 111])
  })

  it('are merged into daily counts after 14 days, in batches, and then kept for 400 days', async () => {
    const old = Array.from({ length: 25 }, (_, index) =>
      rowAt(20 * day, {
        instanceId: `i${index}`,
        native2xx: 2,
        core5xx: 1,
        nativeDurations: index % 2 === 0 ? [0, 1] : [0, 0, 1],
        // Instances of an earlier version do not store durations.
        coreDurations: index === 0 ? [5] : [],
      }),
    )
    const kept = rowAt(13 * day, { native2xx: 7 })
    await saveRouteCounts(database.db, [...old, kept])
    const [ancient, recent] = [402, 399].map((days) =>
      new Date(Date.now() - days * day).toISOString().slice(0, 10),
    )
    for (const stored of [ancient, recent])
      await database.sql`insert into route_counts_daily
        select ${label}, ${stored ?? ''}::date, 1, 0, 0, 0, 0, 0, 0, 1`
    await retainRouteCounts(database.db, 10)
    await retainRouteCounts(database.db, 10)
    expect(await countRows()).toBe(1)
    const folded = new Date(Date.now() - 20 * day).toISOString().slice(0, 10)
    expect([...(await readDaily())]).toEqual([
      { day: recent, label, native2xx: 1, core5xx: 1 },
      { day: folded, label, native2xx: 50, core5xx: 25 },
    ])
    const durations = await database.sql`
      select native_durations::int[], core_durations::int[] from route_counts_daily
      where label = ${label} order by day desc limit 1`
    const all = await database.sql`
      select day::text, native2xx::int, core5xx::int from route_counts_daily where label = '*'`
    // Includes instances of an earlier version, which did not store a total for all routes.
    expect([...all]).toEqual([{ day: folded, native2xx: 50, core5xx: 25 }])
    expect([...durations]).toEqual([{ native_durations: [0, 13, 12], core_durations: [5] }])
  })

  it('are merged only once if several instances merge them concurrently', async () => {
    const old = Array.from({ length: 300 }, (_, index) =>
      rowAt((16 + (index % 3)) * day, { instanceId: `i${index}`, native2xx: 1 }),
    )
    for (let from = 0; from < old.length; from += 50)
      await saveRouteCounts(database.db, old.slice(from, from + 50))
    for (let rounds = 0; rounds < 3; rounds += 1)
      await Promise.all(Array.from({ length: 4 }, () => retainRouteCounts(database.db, 7)))
    while ((await countRows()) > 0) await retainRouteCounts(database.db, 7)
    const daily = await readDaily()
    expect(daily.map(({ native2xx }) => native2xx)).toEqual([100, 100, 100])
  })

  it('are complete even if the process ends during the merge', async () => {
    await saveRouteCounts(database.db, [rowAt(20 * day, { native2xx: 3 })])
    await database.db
      .transaction(async (tx) => {
        expect(await foldRouteCounts(tx, 10)).toBe(1)
        throw new Error('the process ended')
      })
      .catch(() => undefined)
    expect([await countRows(), (await readDaily()).length]).toEqual([1, 0])
    await retainRouteCounts(database.db)
    expect((await readDaily()).map(({ native2xx }) => native2xx)).toEqual([3])
  })

  it('are written on shutdown, which an unresponsive database delays by at most a second', async () => {
    const log = createRecordingLog()
    const counts = startRouteCounts({ db: database.db, instanceId: 'a', log })
    counts.record(label, 'proxy', 200, 3)
    await counts.close()
    expect(await sumRouteCounts(database.db, label, 3600)).toEqual({ ...none, core2xx: 1 })
    const hanging = startRouteCounts({
      db: {
        ...database.db,
        insert: () => ({ values: () => ({ onConflictDoUpdate: () => sleep(60_000) }) }),
      } as never,
      instanceId: 'b',
      log,
    })
    hanging.record(label, 'proxy', 200, 3)
    const startedAt = performance.now()
    await hanging.close()
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })
})

describe('a gateway', () => {
  const gateway = startTestGateway({
    core: 'recording',
    environment: { GATEWAY_ROUTES: 'libraries.list=native,libraries.detail=proxy' },
  })

  it('adds its requests to the counts of all instances, by label and side', async () => {
    const { token } = await gateway.signUp()
    for (let instances = 0; instances < 2; instances += 1) {
      const running = await startGateway({ settings: gateway.settings, log: createRecordingLog() })
      for (let count = 0; count < 3; count += 1)
        await requestAt(running.url, 'GET', '/v1/libraries', { token })
      await requestAt(running.url, 'GET', '/v1/libraries')
      await requestAt(running.url, 'GET', '/v1/libraries/lib_1', { token })
      await running.close()
    }
    const { db } = gateway.database
    expect(await sumRouteCounts(db, 'libraries.list', 3600)).toEqual({ ...none, native2xx: 6, native4xx: 2 })
    expect(await sumRouteCounts(db, 'libraries.detail', 3600)).toEqual({ ...none, core2xx: 2 })
  })
})
