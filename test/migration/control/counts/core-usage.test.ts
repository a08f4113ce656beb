import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { continueCoreUsageRecord, saveCoreUsage, saveUnmatchedUsage } from '#db/queries/routing/core-usage.ts'
import { RequestOutcome } from '#gateway/request/context.ts'
import { readCoreUsage } from '#migration/api/usage.ts'
import { createCoreUsage, retainCoreUsage } from '#migration/control/counts/core-usage.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const today = new Date().toISOString().slice(0, 10)
const day = 86_400_000

describe('what the core has served', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())
  afterEach(() => database.sql`truncate core_usage, core_usage_total, unmatched_usage`)

  const requestOf = (outcome: Partial<RequestOutcome>, path = '/v1/x', method = 'GET') => ({
    method,
    path,
    outcome: {
      ...new RequestOutcome(),
      runtime: 'proxy' as const,
      ...outcome,
    },
  })

  it('counts as recorded since the first write, or since the last gap of over an hour', async () => {
    const { sql, db } = database
    const findStart = async () => {
      const [row] = await sql<{ age: number }[]>`
        select extract(epoch from now() - at)::float8 as age from core_usage_start`
      return row?.age ?? Number.NaN
    }
    const age = (at: string, aliveAt: string) => sql`
      update core_usage_start set at = now() - ${at}::interval, alive_at = now() - ${aliveAt}::interval`
    await continueCoreUsageRecord(db)
    expect(await findStart()).toBeLessThan(60)
    await age('3 days', '59 minutes')
    await continueCoreUsageRecord(db)
    expect(await findStart()).toBeGreaterThan(2 * 86_400)
    await age('3 days', '61 minutes')
    await continueCoreUsageRecord(db)
    expect(await findStart()).toBeLessThan(60)
  })

  it('is counted by route and cause across all instances, however often each one writes', async () => {
    for (const instance of ['a', 'b']) {
      const usage = createCoreUsage(instance)
      const label = 'tracks.list' as const
      for (const reason of ['static', 'split', 'targeting_match', 'disabled', 'stale', 'breaker'] as const)
        usage.record(requestOf({ label, reason }), 200)
      usage.record(requestOf({ label, reason: 'breaker', fallbackReason: 'breaker' }), 200)
      usage.record(requestOf({ label, reason: 'static', fallbackReason: 'timeout' }), 200)
      usage.record(requestOf({ label, runtime: 'native' }), 200)
      usage.recordAsked(label, 3)
      await usage.write(database.db, today)
      usage.record(requestOf({ label, reason: 'split' }), 200)
      // The response to this write is lost, so the next write repeats it.
      const lost = { insert: database.db.insert.bind(database.db) } as typeof database.db
      await usage.write(lost, today)
      await usage.write(database.db, today)
    }
    const { routes, needsCore, sentences } = await readCoreUsage(database.db)
    const [route] = routes
    expect(route).toMatchObject({ label: 'tracks.list', requests: 18, shadowRequests: 6 })
    expect(Object.fromEntries(route?.causes.map(({ cause, requests }) => [cause, requests]) ?? [])).toEqual({
      state: 2,
      bucket: 4,
      override: 2,
      killed: 2,
      stale: 2,
      breaker: 4,
      fallback: 2,
      shadow: 6,
    })
    expect(needsCore).toEqual(['tracks.list'])
    expect(sentences[0]).toMatch(/^tracks\.list: 18 requests in 15 days \(breaker 4, bucket 4, fallback 2, /)
  })

  it('does not change when an older write completes after a newer one', async () => {
    const row = { label: 'tracks.list', cause: 'state', day: today, instanceId: 'a' }
    await saveCoreUsage(database.db, [{ ...row, requests: 5 }])
    const before = [...(await database.sql`select * from core_usage`)]
    await saveCoreUsage(database.db, [{ ...row, requests: 3 }])
    await saveCoreUsage(database.db, [{ ...row, requests: 5 }])
    expect([...(await database.sql`select * from core_usage`)]).toEqual(before)
  })

  it('includes the shapes of unmatched paths that the core serves, up to a limit', async () => {
    const usage = createCoreUsage('a')
    const record = (path: string, status: number, method = 'GET') =>
      usage.record(requestOf({ label: 'unmatched' }, path, method), status)
    for (const path of ['/v1/reports/1', '/v1/reports/2']) record(path, 200)
    record('/v1/reports/3', 404)
    record('/v1/reports', 201, 'PURGE')
    record('/v1/secret-token-123/admin.php', 404)
    await usage.write(database.db, today)
    const { unmatched, routes } = await readCoreUsage(database.db)
    expect(routes[0]).toMatchObject({ label: 'unmatched', requests: 5 })
    expect(unmatched).toMatchObject({
      requests: 5,
      shapes: [
        { method: 'GET', shape: '/v1/reports/:id', requests: 3 },
        { method: 'OTHER', shape: '/v1/reports', requests: 1 },
      ],
      other: 1,
    })
    const letters = 'abcdefghijklmnopqrstuvwxyz'
    for (const first of letters) for (const second of letters) record(`/v1/q${first}${second}`, 200)
    await usage.write(database.db, today)
    const [rows] = await database.sql`select count(*)::int from unmatched_usage`
    expect(rows).toEqual({ count: 200 })
    expect((await readCoreUsage(database.db)).unmatched.requests).toBe(5 + 26 * 26)
  })

  it("keeps the time of each cause's last request when that day's rows are deleted", async () => {
    const dayOf = (age: number) => new Date(Date.now() - age * day).toISOString().slice(0, 10)
    const row = { label: 'tracks.list', instanceId: 'a', requests: 2 }
    await saveCoreUsage(database.db, [
      { ...row, cause: 'state', day: dayOf(20) },
      { ...row, cause: 'state', day: dayOf(18) },
      { ...row, cause: 'shadow', day: dayOf(3) },
    ])
    await saveUnmatchedUsage(database.db, [
      { method: 'GET', shape: '/v1/reports', day: dayOf(20), instanceId: 'a', requests: 1 },
    ])
    await database.sql`update core_usage set last_at = day`
    await Promise.all([retainCoreUsage(database.db), retainCoreUsage(database.db)])
    await retainCoreUsage(database.db)
    expect([...(await database.sql`select cause from core_usage`)]).toEqual([{ cause: 'shadow' }])
    expect([...(await database.sql`select shape from unmatched_usage`)]).toEqual([])
    const { routes, needsCore } = await readCoreUsage(database.db)
    expect(routes).toMatchObject([
      { label: 'tracks.list', requests: 0, shadowRequests: 2, lastAt: `${dayOf(18)}T00:00:00.000Z` },
    ])
    expect(needsCore).toEqual([])
  })
})
