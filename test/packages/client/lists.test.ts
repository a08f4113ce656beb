import { describe, expect, it } from 'vitest'
import { listPages, listRecords } from '#client/lists.ts'
import { collect } from './collect.ts'
import { respond, startScriptedServer } from './scripted-server.ts'

const page = (ids: readonly string[], nextCursor?: string | null) =>
  respond(200, { records: ids.map((id) => ({ id })), ...(nextCursor === undefined ? {} : { nextCursor }) })

describe('a list that the client reads', () => {
  const server = startScriptedServer()
  const paths = () => server.requests().map(({ path }) => path)

  it('follows the cursors to the last page', async () => {
    server.script(page(['a', 'b'], 'c/1'), page([], 'c/2'), page(['c'], null))
    const records = await collect(listRecords(server.createClient(), '/v1/tracks'))
    expect(records.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(paths()).toEqual([
      '/v1/tracks?limit=100',
      '/v1/tracks?limit=100&cursor=c%2F1',
      '/v1/tracks?limit=100&cursor=c%2F2',
    ])
  })

  it('ends after a page without a cursor, which is what the core sends', async () => {
    server.script(page(['a']))
    const records = await collect(listRecords(server.createClient(), '/v1/libraries'))
    expect(records).toEqual([{ id: 'a' }])
    expect(server.requests().length).toBe(1)
  })

  it('has each entry once even if the core serves a later page and returns the whole list', async () => {
    server.script(page(['a', 'b'], 'next'), page(['a', 'b', 'c']))
    const records = await collect(listRecords(server.createClient(), '/v1/packs'))
    expect(records.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    const assets = { artwork: [{ id: 'a' }], documents: [{ id: 'b' }] }
    server.script(
      respond(200, { ...assets, documents: [], nextCursor: 'next' }),
      respond(200, { trackId: 'trk_1', ...assets }),
    )
    const init = { params: { path: { trackId: 'trk_1' } } }
    const pages = await collect(listPages(server.createClient(), '/v1/tracks/{trackId}/media-assets', init))
    expect(pages[1]).toEqual({ trackId: 'trk_1', artwork: [], documents: [{ id: 'b' }] })
  })

  it('remembers no more entries than the core could repeat', async () => {
    const ids = Array.from({ length: 50_001 }, (_, index) => `${index}`)
    server.script(page(ids, 'next'), page([ids[0]!, ids.at(-1)!], null))
    const records = await collect(listRecords(server.createClient(), '/v1/tracks'))
    expect(records.slice(-1)).toEqual([{ id: '50000' }])
    expect(records).toHaveLength(50_002)
  })

  it('has a library once for each of its shares', async () => {
    const shares = ['x', 'y'].map((shareId) => ({ id: 'a', shareId }))
    server.script(respond(200, { records: shares, nextCursor: 'next' }), respond(200, { records: shares }))
    const records = await collect(listRecords(server.createClient(), '/v1/libraries/shared-with-me'))
    expect(records).toEqual(shares)
  })

  it('reads a page only when it is needed', async () => {
    server.script(page(['a', 'b'], 'next'))
    for await (const { id } of listRecords(server.createClient(), '/v1/tracks')) if (id === 'b') break
    expect(server.requests().length).toBe(1)
  })

  it("keeps the call's parameters", async () => {
    server.script(page(['a'], 'next'), page(['b'], null))
    const query = { limit: 1, inviteStatus: 'accepted' } as const
    await collect(listRecords(server.createClient(), '/v1/libraries/shared-with-me', { params: { query } }))
    expect(paths()).toEqual([
      '/v1/libraries/shared-with-me?limit=1&inviteStatus=accepted',
      '/v1/libraries/shared-with-me?limit=1&inviteStatus=accepted&cursor=next',
    ])
  })

  it('can be read page by page, even if its array has a different name', async () => {
    server.script(
      respond(200, { stems: [{ id: 'a' }], nextCursor: 'next' }),
      respond(200, { stems: [{ id: 'b' }], nextCursor: null }),
    )
    const init = { params: { path: { trackId: 'trk_1' } } }
    const pages = await collect(listPages(server.createClient(), '/v1/tracks/{trackId}/stems', init))
    expect(pages.flatMap(({ stems }) => stems.map(({ id }) => id))).toEqual(['a', 'b'])
  })

  it('requests a page again after a temporary error, and fails after any other error', async () => {
    server.script(page(['a'], 'next'), respond(503, 'core_unavailable'), page(['b'], null))
    expect(await collect(listRecords(server.createClient(), '/v1/tracks'))).toHaveLength(2)
    server.script(respond(404, 'track_not_found'))
    const rest = collect(listRecords(server.createClient(), '/v1/tracks'))
    await expect(rest).rejects.toMatchObject({ code: 'track_not_found' })
  })
})
