import { afterEach, describe, expect, it } from 'vitest'
import { type RouteCountsRow, saveRouteCounts } from '#db/queries/routing/route-counts.ts'
import { storedDurationBuckets } from '#shared/histogram.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

const label = 'libraries.list'
const hour = 3_600_000
const day = 24 * hour
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

const durationsOf = (durationMs: number, requests: number) => [
  ...Array.from({ length: storedDurationBuckets.bucketOf(durationMs) }, () => 0),
  requests,
]

interface Interval {
  readonly start: string
  readonly native: { readonly requests: number }
  readonly core: { readonly requests: number }
}

describe('the history of routes', () => {
  let clockMs = 0
  const gateway = startTestGateway({
    core: 'recording',
    environment: { OPERATORS: testOperators },
    now: () => Date.now() + clockMs,
  })
  afterEach(async () => {
    await gateway.database.sql`truncate route_counts, route_counts_daily`
    clockMs += 10_000
  })

  const get = (path: string, token: string = operatorTokens.rob) =>
    gateway.requestAdmin('GET', path, { token })
  const save = (ageMs: number, counts: Partial<RouteCountsRow>) =>
    saveRouteCounts(gateway.database.db, [
      {
        ...none,
        label,
        instanceId: 'a',
        intervalStart: new Date(Math.floor((Date.now() - ageMs) / 600_000) * 600_000).toISOString(),
        ...counts,
      },
    ])
  const listServed = (intervals: readonly Interval[]) =>
    intervals.filter(({ native, core }) => native.requests + core.requests > 0)

  it("covers all instances in ten-minute intervals, with each side's percentiles", async () => {
    await save(hour, { native2xx: 95, native5xx: 5, nativeDurations: durationsOf(10, 100) })
    await save(hour, {
      instanceId: 'b',
      native2xx: 100,
      core2xx: 10,
      core5xx: 1,
      nativeDurations: durationsOf(100, 100),
      coreDurations: durationsOf(40, 11),
    })
    await save(30 * hour, { native2xx: 1 })
    await save(hour, { label: 'libraries.detail', native2xx: 7 })
    const { status, body } = await get(`/api/routes/${label}/history`)
    expect([status, body.label, body.hours, body.intervalS, body.intervals.length]).toEqual([
      200,
      label,
      24,
      600,
      144,
    ])
    const [served, ...others] = listServed(body.intervals)
    expect(others).toEqual([])
    expect(served).toMatchObject({
      native: { requests: 200, errors: 5 },
      core: { requests: 11, errors: 1 },
    })
    const { native, core } = body.intervals.find(({ start }: Interval) => start === served?.start)
    for (const [measured, actual] of [
      [native.p50Ms, 10],
      [native.p95Ms, 100],
      [core.p50Ms, 40],
      [core.p95Ms, 40],
    ])
      expect(measured / actual, `${measured} for ${actual}`).toBeGreaterThan(0.8)
    expect(native.p95Ms).toBeLessThan(125)
    expect(body.intervals[0]).toMatchObject({
      native: { requests: 0, errors: 0, p50Ms: null, p95Ms: null },
      core: { requests: 0, errors: 0, p50Ms: null, p95Ms: null },
    })
  })

  it('is read from the database at most every ten seconds, however often a page is refreshed', async () => {
    const path = `/api/routes/${label}/history?hours=3`
    const countRequests = async () => {
      const { body } = await get(path)
      return body.intervals.reduce((sum: number, { native }: Interval) => sum + native.requests, 0)
    }
    await save(hour, { native2xx: 5 })
    expect(await countRequests()).toBe(5)
    await save(hour, { native2xx: 9 })
    clockMs += 9000
    expect(await countRequests()).toBe(5)
    clockMs += 1000
    expect(await countRequests()).toBe(9)
  })

  it('has no percentiles for requests that an earlier version counted without durations', async () => {
    await save(hour, { native2xx: 5 })
    const { body } = await get(`/api/routes/${label}/history?hours=2`)
    expect(listServed(body.intervals)).toMatchObject([{ native: { requests: 5, p50Ms: null, p95Ms: null } }])
  })

  it('has wider intervals for longer periods, at most 150 in total', async () => {
    await save(100 * hour, { native2xx: 2, nativeDurations: durationsOf(5, 2) })
    await gateway.database.sql`
      insert into route_counts_daily (day, label, native2xx, native3xx, native4xx, native5xx, core2xx,
        core3xx, core4xx, core5xx, core_durations)
      values ((now() at time zone 'UTC')::date - 60, ${label}, 0, 0, 0, 0, 40, 0, 0, 0, ${durationsOf(20, 40)})`
    const widths = []
    for (const hours of [1, 24, 25, 168, 336, 337, 90 * 24, 400 * 24]) {
      const { intervalS, intervals } = (await get(`/api/routes/${label}/history?hours=${hours}`)).body
      expect(intervals.length, String(hours)).toBeLessThanOrEqual(150)
      expect(intervals.length * intervalS, String(hours)).toBeGreaterThanOrEqual(hours * 3600)
      widths.push([hours, intervalS / 600, listServed(intervals).length])
    }
    expect(widths).toEqual([
      [1, 1, 0],
      [24, 1, 0],
      [25, 3, 0],
      [168, 12, 1],
      [336, 18, 1],
      [337, 144, 1],
      [2160, 144, 2],
      [9600, 432, 2],
    ])
  })

  it('counts each request once, whether its count is stored per ten minutes or per day', async () => {
    for (let age = 0; age < 20; age += 1) await save(age * day, { label: '*', core2xx: 1 })
    const sum = async () => {
      const { body } = await get('/api/history?days=30')
      return body.intervals.reduce((total: number, { core }: Interval) => total + core.requests, 0)
    }
    expect(await sum()).toBe(20)
    await gateway.database.sql`
      insert into route_counts_daily (day, label, native2xx, native3xx, native4xx, native5xx, core2xx,
        core3xx, core4xx, core5xx)
      select interval_start::date, label, 0, 0, 0, 0, core2xx, 0, 0, 0 from route_counts
      where interval_start < date_trunc('day', now(), 'UTC') - interval '14 days'`
    await gateway.database.sql`
      delete from route_counts where interval_start < date_trunc('day', now(), 'UTC') - interval '14 days'`
    clockMs += 10_000
    expect(await sum()).toBe(20)
  })

  it('lists changes to the route and its area, and each new evidence key at its first comparison or change', async () => {
    const { sql } = gateway.database
    const path = `/api/routes/${label}/history?hours=6`
    const change = (scope: string, kind: string) =>
      gateway.requestAdmin('POST', `/api/routes/${scope}/changes`, {
        token: operatorTokens.alice,
        body: { change: { kind }, reason: `${kind} of ${scope}` },
      })
    expect((await get(path)).body).toMatchObject({ moves: [], deploys: [] })
    for (const [scope, kind] of [
      ['libraries.*', 'kill'],
      [label, 'hold'],
      [label, 'kill'],
      ['packs.*', 'kill'],
    ] as const)
      await change(scope, kind)
    for (const [key, ageH] of [
      ['oldest', 3],
      ['newer', 2],
    ] as const)
      await sql`insert into evidence_set (label, evidence_key, test, mismatches, critical, folded, first_at)
        values (${label}, ${key}, '{}', '{}', 0, '{}', now() - ${ageH} * interval '1 hour')`
    // The next result does not come from the cache, because this change has its own epoch.
    await change('libraries.*', 'resume')
    const { moves, deploys } = (await get(path)).body
    expect(moves.map(({ scope, action, who }: Record<string, string>) => [scope, action, who])).toEqual([
      ['libraries.*', 'resume', 'alice'],
      [label, 'kill', 'alice'],
      ['libraries.*', 'kill', 'alice'],
    ])
    // The changes above have recorded the evidence key of the running code.
    expect(deploys).toEqual([
      { evidenceKey: 'newer', at: expect.stringMatching(/^\d{4}-.*Z$/) },
      { evidenceKey: expect.stringMatching(/^[0-9a-f]{32}$/), at: expect.any(String) },
    ])
    await sql`truncate evidence_set`
  })

  it("says what share of all routes' requests native served", async () => {
    await save(2 * day, { label: '*', native2xx: 3, core2xx: 1 })
    await save(2 * day, { label: '*', instanceId: 'b', core4xx: 4, native5xx: 4 })
    const { body } = await get('/api/history')
    expect([body.days, body.intervalS, body.intervals.length]).toEqual([90, 86_400, 90])
    expect(listServed(body.intervals)).toMatchObject([
      { native: { requests: 7, errors: 4 }, core: { requests: 5, errors: 0 }, nativePercent: 700 / 12 },
    ])
    expect(body.intervals[0].nativePercent).toBeNull()
  })

  it('requires an operator who may read, and rejects bad input', async () => {
    expect((await get('/api/history', operatorTokens.ci)).status).toBe(403)
    for (const path of [
      '/api/history?days=0',
      '/api/history?days=401',
      `/api/routes/${label}/history?hours=x`,
    ])
      expect((await get(path)).body.error, path).toBe('validation_error')
    expect((await get('/api/routes/libraries.lst/history')).body.error).toBe('route_scope_unknown')
  })
})
