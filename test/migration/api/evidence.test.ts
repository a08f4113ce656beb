import { afterEach, describe, expect, it } from 'vitest'
import { saveContractResults } from '#db/queries/evidence/contract-results.ts'
import { upsertInstance } from '#db/queries/routing/gateway-instances.ts'
import { type RouteCountsRow, saveRouteCounts } from '#db/queries/routing/route-counts.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

const keyOf = (digit: number) => digit.toString(16).padStart(32, '0')

describe('the evidence of routes', () => {
  let clockMs = 0
  const gateway = startTestGateway({
    core: 'recording',
    environment: { OPERATORS: testOperators },
    now: () => Date.now() + clockMs,
  })
  afterEach(async () => {
    await gateway.database.sql`truncate contract_result, route_counts`
    // Sums over days are cached for a minute. This makes them expire.
    clockMs += 60_000
  })

  const post = (results: readonly object[], more: object = {}, token: string = operatorTokens.ci) =>
    gateway.requestAdmin('POST', '/api/contract-results', {
      token,
      body: { finishedAt: '2026-11-20T10:00:00.000Z', results, ...more },
    })
  const read = (label: string, token: string = operatorTokens.rob) =>
    gateway.requestAdmin('GET', `/api/routes/${label}/evidence`, { token })
  const result = (label: string, evidenceKey: string, problems = 0, forbiddingDifferences = 0) => ({
    label,
    evidenceKey,
    problems,
    forbiddingDifferences,
  })
  const readKey = async (label: string): Promise<string> => (await read(label)).body.evidenceKey
  const listRows = () =>
    gateway.database.sql`select label, evidence_key, problems, who from contract_result order by 1, 2`

  it('contains the contract run for the running code', async () => {
    const key = await readKey('libraries.list')
    expect((await read('libraries.list')).body).toMatchObject({
      contract: null,
      instances: { live: 1, onKey: 1 },
    })
    const posted = await post([result('libraries.list', key), result('libraries.detail', keyOf(1), 2)])
    expect(posted).toMatchObject({
      status: 200,
      body: {
        stored: 2,
        outdated: [],
        instances: 1,
        otherCode: [{ label: 'libraries.detail', instances: 1 }],
      },
    })
    const { body } = await read('libraries.list')
    expect(body.contract).toEqual({
      ...result('libraries.list', key),
      validUntil: null,
      who: 'ci',
      at: '2026-11-20T10:00:00.000Z',
    })
    expect(body.sentences[0]).toBe(`Evidence key ${key}: all running instances (1) run this code.`)
    expect(body.sentences).toContain(
      'The contract run for this code is clean (posted by ci, finished on 2026-11-20 at 10:00 UTC).',
    )
    const other = (await read('libraries.detail')).body
    expect(other.contract).toBeNull()
    expect(other.sentences.slice(-5, -3)).toEqual([
      'No contract run for this code yet. Run npm run contract -- --post in a checkout of this release.',
      'The newest run, for different code, found 2 problems (posted by ci, finished on 2026-11-20 at 10:00 UTC); it does not count.',
    ])
    expect((await post([], {}, operatorTokens.alice)).body).toMatchObject({ stored: 0, otherCode: [] })
  })

  it('stops counting a contract run once an accepted difference it relied on has expired', async () => {
    const key = await readKey('libraries.list')
    const validUntil = '2026-11-20T12:00:00.000Z'
    await post([{ ...result('libraries.list', key), validUntil }])
    const { body } = await read('libraries.list')
    expect(body.contract).toMatchObject({ validUntil })
    expect(body.sentences).toContain(
      'The contract run for this code relied on an accepted difference that expired on 2026-11-20, so it no longer counts as clean (posted by ci, finished on 2026-11-20 at 10:00 UTC).',
    )
  })

  it('does not change when a report is repeated, or an older one is posted late', async () => {
    const results = [result('libraries.list', keyOf(1), 1), result('libraries.detail', keyOf(2))]
    await post(results)
    const before = [...(await listRows())]
    expect((await post(results)).body).toMatchObject({ stored: 2, outdated: [] })
    expect([...(await listRows())]).toEqual(before)
    const older = { finishedAt: '2026-11-20T09:00:00.000Z' }
    expect((await post([result('libraries.list', keyOf(1), 0)], older)).body).toMatchObject({
      stored: 0,
      outdated: ['libraries.list'],
    })
    expect([...(await listRows())]).toEqual(before)
    await post([result('libraries.list', keyOf(1), 0)], { finishedAt: '2026-11-20T11:00:00.000Z' })
    expect((await listRows())[0]).toMatchObject({ label: before[0]?.label })
    expect((await listRows()).find(({ label }) => label === 'libraries.list')).toMatchObject({ problems: 0 })
  })

  it('is complete even if several reports are posted at the same time', async () => {
    const labels = ['libraries.list', 'libraries.detail', 'libraries.create', 'libraries.update']
    const posts = Array.from({ length: 12 }, (_, run) =>
      post(
        labels.toSorted(() => (run % 2 ? 1 : -1)).map((label) => result(label, keyOf(run), run)),
        { finishedAt: `2026-11-20T10:${String(run).padStart(2, '0')}:00.000Z` },
      ),
    )
    expect((await Promise.all(posts)).map(({ status }) => status)).toEqual(Array(12).fill(200))
    const byKey = Map.groupBy(await listRows(), ({ evidence_key: key }) => key)
    expect([...byKey.values()].map((rows) => rows.length)).toEqual(Array(12).fill(labels.length))
  })

  it("is kept for a route's 20 newest evidence keys, up to a limit on the number of rows", async () => {
    const { db, sql } = gateway.database
    for (let code = 0; code < 25; code += 1)
      await post([result('libraries.list', keyOf(code))], {
        finishedAt: `2026-11-20T10:${String(code).padStart(2, '0')}:00.000Z`,
      })
    const keys = (await listRows()).map(({ evidence_key: key }) => key)
    expect(keys).toEqual(Array.from({ length: 20 }, (_, index) => keyOf(index + 5)))
    expect(
      (await post([result('libraries.list', keyOf(99))], { finishedAt: '2026-11-19T10:00:00Z' })).body,
    ).toMatchObject({ stored: 0, outdated: ['libraries.list'] })
    const rows = ['a.b', 'c.d', 'e.f'].map((label) => ({
      ...result(label, keyOf(1)),
      validUntil: null,
      who: 'ci',
      at: '2026-11-21T10:00:00.000Z',
    }))
    await db.transaction((tx) => saveContractResults(tx, rows, { keysPerLabel: 20, rows: 5 }))
    const [count] = await sql`select count(*)::int from contract_result`
    expect(count).toEqual({ count: 5 })
    expect((await listRows()).map(({ label }) => label)).toEqual([
      'a.b',
      'c.d',
      'e.f',
      'libraries.list',
      'libraries.list',
    ])
  })

  it('says how many instances run different code', async () => {
    const { db, sql } = gateway.database
    const key = await readKey('libraries.list')
    await upsertInstance(db, { id: 'newer', build: 'b', keys: { 'libraries.list': keyOf(7) }, epoch: 0 })
    expect((await post([result('libraries.list', key), result('later.route', keyOf(1))])).body).toMatchObject(
      {
        stored: 2,
        instances: 2,
        otherCode: [{ label: 'libraries.list', instances: 1 }],
      },
    )
    expect((await read('libraries.list')).body.sentences[0]).toContain(
      ': 1 of 2 running instances runs different code.',
    )
    await sql`delete from gateway_instance where id = 'newer'`
  })

  it("contains each side's requests in the last hour, day and week", async () => {
    const row = (ageH: number, counts: Partial<RouteCountsRow>): RouteCountsRow => ({
      label: 'libraries.list',
      instanceId: 'a',
      intervalStart: new Date(Date.now() - ageH * 3_600_000).toISOString(),
      native2xx: 0,
      native3xx: 0,
      native4xx: 0,
      native5xx: 0,
      core2xx: 0,
      core3xx: 0,
      core4xx: 0,
      core5xx: 0,
      ...counts,
    })
    await saveRouteCounts(gateway.database.db, [
      row(0.5, { native2xx: 1200, native5xx: 3 }),
      row(5, { core3xx: 1 }),
      row(100, { core2xx: 9 }),
    ])
    const { body } = await read('libraries.list')
    expect(body.requests).toEqual({
      hour: { native: { requests: 1203, errors: 3 }, core: { requests: 0, errors: 0 } },
      day: { native: { requests: 1203, errors: 3 }, core: { requests: 1, errors: 0 } },
      week: { native: { requests: 1203, errors: 3 }, core: { requests: 10, errors: 0 } },
    })
    expect(body.sentences.slice(-3)).toEqual([
      'In the last hour, native served 1,203 requests (3 with a 5xx), the core served no requests.',
      'In the last day, native served 1,203 requests (3 with a 5xx), the core served 1 request (0 with a 5xx).',
      'In the last 7 days, native served 1,203 requests (3 with a 5xx), the core served 10 requests (0 with a 5xx).',
    ])
    await saveRouteCounts(gateway.database.db, [row(0.4, { native2xx: 50 })])
    const { hour, day, week } = (await read('libraries.list')).body.requests
    expect([hour, day, week].map(({ native }) => native.requests)).toEqual([1253, 1253, 1253])
  })

  it('says that there is no evidence for a route without a handler or a core', async () => {
    const unconfigured = (await read('packs.invitations.create')).body
    expect(unconfigured).toMatchObject({ evidenceKey: null, contract: null })
    expect(unconfigured.sentences[0]).toBe(
      'This instance cannot serve packs.invitations.create natively, so there is no evidence for its code.',
    )
    expect((await read('webhooks.billing')).body.sentences[0]).toBe(
      'Only native can serve webhooks.billing, so there is no core to compare it with.',
    )
  })

  it('cannot be written by readers or read by contract runners', async () => {
    const rejected = [await post([], {}, operatorTokens.rob), await read('libraries.list', operatorTokens.ci)]
    expect(rejected.map(({ status, body }) => [status, body.error, body.message])).toEqual([
      [403, 'operator_role_insufficient', 'rob has the role read; this needs contract or write.'],
      [403, 'operator_role_insufficient', 'ci has the role contract; this needs read or write.'],
    ])
  })

  it('is not changed by bad input, and the error names the field', async () => {
    const valid = result('libraries.list', keyOf(1))
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const bad = [
      [[{ ...valid, evidenceKey: 'short' }], {}, 'results.0.evidenceKey'],
      [[{ ...valid, label: 'not a label' }], {}, 'results.0.label'],
      [[{ ...valid, problems: -1 }], {}, 'results.0.problems'],
      [[{ ...valid, problems: 1.5 }], {}, 'results.0.problems'],
      [[{ ...valid, forbiddingDifferences: 2_000_000 }], {}, 'results.0.forbiddingDifferences'],
      [[{ ...valid, note: 'x' }], {}, 'results.0.note'],
      [[valid, valid], {}, 'results'],
      [Array.from({ length: 501 }, (_, index) => ({ ...valid, label: `a.b${index}` })), {}, 'results'],
      [[valid], { finishedAt: later }, 'finishedAt'],
      [[valid], { finishedAt: 'today' }, 'finishedAt'],
    ] as const
    for (const [results, more, path] of bad) {
      const { status, body } = await post(results, more)
      expect([status, body.error, body.issues[0].path]).toEqual([400, 'validation_error', path])
    }
    expect(await listRows()).toHaveLength(0)
    const unknown = await read('libraries.lst')
    expect(unknown).toMatchObject({ status: 404, body: { error: 'route_scope_unknown' } })
    expect(unknown.body.nearest[0]).toBe('libraries.list')
    expect((await read('libraries.*')).body.message).toContain('"libraries.*" is not a route label.')
  })
})
