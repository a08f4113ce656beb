import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { createIdleGuard } from '#test/support/idle-guard.ts'

let isServedByCore = false

describe('tracks.list', () => {
  const gateway = startTestGateway({
    core: 'sandbox',
    nativeLabels: ['tracks.list'],
    guard: createIdleGuard({ mayTryNative: () => !isServedByCore }),
  })

  const insertTracks = async ({ accountId }: TestAccount, count: number) => {
    const { sql } = gateway.database
    for (let index = 0; index < count; index++) await insertTrackOf(sql, accountId, `Track ${index}`)
    await sql`update tracks set created_at = date_trunc('second', created_at) where owner_id = ${accountId}`
    const rows = await sql<{ id: string }[]>`
      select id from tracks where owner_id = ${accountId} order by created_at desc, id desc`
    return rows.map(({ id }) => id)
  }

  const readPage = async (account: TestAccount, limit: number, cursor: string | null, runtime = 'native') => {
    isServedByCore = runtime === 'proxy'
    const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const response = await account.get(`/v1/tracks?limit=${limit}${after}`)
    expect([response.status, response.headers.get('x-service-core-runtime')]).toEqual([200, runtime])
    const { records, nextCursor } = response.body
    const ids: string[] = records.map(({ id }: { id: string }) => id)
    return { ids, nextCursor }
  }

  it("returns the account's tracks, newest first, without their owner", async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    await insertTracks(bob, 1)
    const ids = await insertTracks(alice, 3)
    isServedByCore = false
    const { status, body } = await alice.get('/v1/tracks')
    expect(status).toBe(200)
    expect(body).toEqual({ records: expect.any(Array), nextCursor: null })
    expect(body.records.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(Object.keys(body.records[0])).not.toContain('ownerId')
  })

  it('returns 50 tracks a page by default, and at most 200', async () => {
    const alice = await gateway.signUp()
    await gateway.database.sql`
      insert into tracks (id, owner_id, title, artist)
      select gen_random_uuid(), ${alice.accountId}, 'Night Drive', 'The Owls' from generate_series(1, 51)`
    isServedByCore = false
    const { body } = await alice.get('/v1/tracks')
    expect([body.records.length, typeof body.nextCursor]).toEqual([50, 'string'])
    expect((await readPage(alice, 200, null)).ids).toHaveLength(51)
  })

  it.each([
    ['native', 'native'],
    ['native', 'proxy'],
    ['proxy', 'native'],
  ])('lists every track once if %s serves the first page and %s the other pages', async (first, others) => {
    const alice = await gateway.signUp()
    const ids = await insertTracks(alice, 5)
    let page = await readPage(alice, 2, null, first)
    const listed = [...page.ids]
    while (page.nextCursor !== null) {
      page = await readPage(alice, 2, page.nextCursor, others)
      listed.push(...page.ids)
    }
    expect(listed).toEqual(ids)
  })

  it.each([
    'limit=0',
    'limit=201',
    'limit=ten',
    'cursor=',
    'cursor=x',
    'cursor=%00',
    `cursor=${btoa('2026-01-01T00:00:00.000Z abc')}`,
    `cursor=${btoa('12 %')}`,
  ])('rejects the query %s', async (query) => {
    const alice = await gateway.signUp()
    isServedByCore = false
    const { status, body } = await alice.get(`/v1/tracks?${query}`)
    expect([status, body.error]).toEqual([400, 'validation_error'])
    expect(body.issues[0].path).toBe(query.split('=', 1)[0])
  })

  it('returns 401 without a token', async () => {
    isServedByCore = false
    const response = await gateway.request('GET', '/v1/tracks')
    expect([response.status, response.body]).toEqual([401, errorBody('unauthorized')])
  })
})
