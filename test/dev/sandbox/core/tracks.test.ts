import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNotFoundForOthers } from './ownership.ts'
import { invalidPaths, makePack, makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('tracks.create', () => {
  it('creates a track and returns its Location', async () => {
    const alice = await core.signIn()
    const { status, headers, body } = await alice.post('/v1/tracks', {
      title: '  Slow Tide ',
      artist: 'Alice',
      isrc: 'us-s1z-99-00001',
      iswc: 't-034.524.680-1',
      releaseDate: '2024-02-29',
    })
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`${core.url}/v1/tracks/${body.id}`)
    expect(body).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
      title: 'Slow Tide',
      artist: 'Alice',
      isrc: 'US-S1Z-99-00001',
      iswc: 'T-034.524.680-1',
      releaseDate: '2024-02-29',
      durationMs: null,
      currentVersionId: null,
      processingState: 'pending',
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    })
  })

  it.each([
    ['no title', { title: undefined }, 'title'],
    ['a blank title', { title: '  ' }, 'title'],
    ['a title of 301 characters', { title: 'x'.repeat(301) }, 'title'],
    ['a control character', { title: 'a\u0000b' }, 'title'],
    ['a lone surrogate', { artist: 'a\ud800' }, 'artist'],
    ['no artist', { artist: undefined }, 'artist'],
    ['a bad ISRC', { isrc: 'US-S1Z-99' }, 'isrc'],
    ['a bad ISWC', { iswc: 'T-1' }, 'iswc'],
    ['a day that does not exist', { releaseDate: '2023-02-29' }, 'releaseDate'],
    ['the year 0', { releaseDate: '0000-01-01' }, 'releaseDate'],
  ])('rejects %s', async (_, change, path) => {
    const alice = await core.signIn()
    const response = await alice.post('/v1/tracks', { title: 'a', artist: 'b', ...change })
    expect(invalidPaths(response)).toEqual([path])
    expect((await alice.get('/v1/tracks')).body.records).toEqual([])
  })

  it('counts code points, not UTF-16 units, and ignores unknown fields', async () => {
    const alice = await core.signIn()
    const { status } = await alice.post('/v1/tracks', { title: '🎵'.repeat(300), artist: 'b', ownerId: 'x' })
    expect(status).toBe(201)
  })
})

describe('tracks.list', () => {
  it('returns pages newest first, with a null cursor on the last one', async () => {
    const alice = await core.signIn()
    const made: string[] = []
    for (const title of ['1', '2', '3', '4', '5']) made.unshift(await makeTrack(alice, title))
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await alice.get(`/v1/tracks?limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...page.body.records.map((track: { id: string }) => track.id))
      cursor = page.body.nextCursor
    }
    expect(seen).toEqual(made)
  })

  it('lists tracks created in the same millisecond exactly once across pages', async () => {
    const alice = await core.signIn()
    const made = await Promise.all(Array.from({ length: 7 }, () => makeTrack(alice)))
    await core.sql`update tracks set created_at = '2025-01-01T00:00:00.123Z' where owner_id = ${alice.accountId}`
    const first = await alice.get('/v1/tracks?limit=4')
    const second = await alice.get(`/v1/tracks?limit=4&cursor=${first.body.nextCursor}`)
    const seen = [...first.body.records, ...second.body.records].map((track: { id: string }) => track.id)
    expect(seen.sort()).toEqual(made.sort())
    expect(second.body.nextCursor).toBeNull()
  })

  it('returns a null cursor even if the last page is full', async () => {
    const alice = await core.signIn()
    await makeTrack(alice)
    expect((await alice.get('/v1/tracks?limit=1')).body.nextCursor).toBeNull()
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=0&limit=2', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=bm90IG9uZQ', 'cursor'],
  ])('rejects ?%s', async (query, path) => {
    const alice = await core.signIn()
    expect(invalidPaths(await alice.get(`/v1/tracks?${query}`))).toEqual([path])
  })

  it('lists no tracks of another account', async () => {
    await makeTrack(await core.signIn())
    expect((await (await core.signIn()).get('/v1/tracks')).body).toEqual({ records: [], nextCursor: null })
  })
})

describe('tracks.detail', () => {
  it('returns the created track', async () => {
    const alice = await core.signIn()
    const { body } = await alice.post('/v1/tracks', { title: 'a', artist: 'b' })
    expect((await alice.get(`/v1/tracks/${body.id}`)).body).toEqual(body)
  })

  it("returns the same 404 for another account's track, an unknown id and an invalid id", async () => {
    const trackId = await makeTrack(await core.signIn())
    await expectNotFoundForOthers(await core.signIn(), 'track_not_found', [
      ['get', `/v1/tracks/${trackId}`],
      ['get', '/v1/tracks/none'],
      ['get', '/v1/tracks/not%20an%20id'],
      ['get', `/v1/tracks/${'x'.repeat(129)}`],
    ])
  })
})

describe('tracks.remove', () => {
  it('removes the track from its packs and closes the gaps', async () => {
    const alice = await core.signIn()
    const { packId, trackIds } = await makePack(alice, 3)
    expect((await alice.delete(`/v1/tracks/${trackIds[1]}`)).status).toBe(204)
    expect((await alice.get(`/v1/tracks/${trackIds[1]}`)).status).toBe(404)
    const order = await alice.put(`/v1/packs/${packId}/tracks/order`, {
      trackIds: [trackIds[0], trackIds[2]],
    })
    expect(order.body.records.map((track: { position: number }) => track.position)).toEqual([0, 1])
  })

  it("returns 404 for a repeated request and for another account's request", async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    await expectNotFoundForOthers(await core.signIn(), 'track_not_found', [
      ['delete', `/v1/tracks/${trackId}`],
    ])
    expect((await alice.delete(`/v1/tracks/${trackId}`)).status).toBe(204)
    expect((await alice.delete(`/v1/tracks/${trackId}`)).body).toEqual({ error: 'track_not_found' })
  })
})
