import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidPaths, makePack, makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const positions = (records: { trackId: string; position: number }[]) =>
  records.map(({ trackId, position }) => [trackId, position])

describe('packs.tracks.add', () => {
  it('appends, or inserts where it is told and moves the rest', async () => {
    const alice = await core.signIn()
    const { packId, trackIds } = await makePack(alice, 2)
    const trackId = await makeTrack(alice)
    const { status, body } = await alice.post(`/v1/packs/${packId}/tracks`, { trackId, position: 1 })
    expect(status).toBe(200)
    expect(body).toEqual({ packId, trackId, position: 1, addedAt: expect.stringMatching(timestamp) })
    const order = [trackIds[1], trackId, trackIds[0]]
    const { body: reordered } = await alice.put(`/v1/packs/${packId}/tracks/order`, { trackIds: order })
    expect(positions(reordered.records)).toEqual(order.map((id, position) => [id, position]))
    expect((await alice.get(`/v1/packs/${packId}`)).body.trackCount).toBe(3)
  })

  it('puts a track that goes beyond the end at the end', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice, 1)
    const trackId = await makeTrack(alice)
    const { body } = await alice.post(`/v1/packs/${packId}/tracks`, { trackId, position: 2 ** 40 })
    expect(body.position).toBe(1)
  })

  it('answers the same record when the track is in the pack already', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice, 1)
    const trackId = await makeTrack(alice)
    const first = await alice.post(`/v1/packs/${packId}/tracks`, { trackId })
    const second = await alice.post(`/v1/packs/${packId}/tracks`, { trackId, position: 0 })
    expect([second.status, second.body]).toEqual([200, first.body])
  })

  it('numbers tracks that arrive at once without gap or repetition', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice)
    const trackIds = await Promise.all(Array.from({ length: 8 }, () => makeTrack(alice)))
    const added = await Promise.all(
      [...trackIds, ...trackIds].map((trackId) =>
        alice.post(`/v1/packs/${packId}/tracks`, { trackId, position: 0 }),
      ),
    )
    expect(new Set(added.map(({ status }) => status))).toEqual(new Set([200]))
    const rows = await core.sql`select position from pack_tracks where pack_id = ${packId} order by 1`
    expect(rows.map((row) => row.position)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  it('knows no track of another', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice)
    const trackId = await makeTrack(await core.signIn())
    const answer = await alice.post(`/v1/packs/${packId}/tracks`, { trackId })
    expect([answer.status, answer.body]).toEqual([404, { error: 'track_not_found' }])
  })

  it.each([
    [{}, 'trackId'],
    [{ trackId: 'not an id' }, 'trackId'],
    [{ trackId: 'a', position: -1 }, 'position'],
    [{ trackId: 'a', position: 0.5 }, 'position'],
  ])('refuses %j', async (body, path) => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice)
    expect(invalidPaths(await alice.post(`/v1/packs/${packId}/tracks`, body))).toEqual([path])
  })
})

describe('packs.tracks.remove', () => {
  it('takes the track out and closes the gap', async () => {
    const alice = await core.signIn()
    const { packId, trackIds } = await makePack(alice, 3)
    expect((await alice.delete(`/v1/packs/${packId}/tracks/${trackIds[0]}`)).status).toBe(204)
    const rows = await core.sql`
      select track_id, position from pack_tracks where pack_id = ${packId} order by position`
    expect(rows.map((row) => [row.track_id, row.position])).toEqual([
      [trackIds[1], 0],
      [trackIds[2], 1],
    ])
    const again = await alice.delete(`/v1/packs/${packId}/tracks/${trackIds[0]}`)
    expect([again.status, again.body]).toEqual([404, { error: 'track_not_found' }])
  })
})

describe('packs.tracks.reorder', () => {
  it.each<[string, (ids: string[]) => string[]]>([
    ['too few', (ids) => ids.slice(1)],
    ['a stranger among them', (ids) => [...ids.slice(1), 'other']],
    ['one twice', (ids) => [...ids, ids[0]!]],
    ['one instead of another', (ids) => [ids[0]!, ...ids.slice(0, -1)]],
  ])('refuses %s and changes nothing', async (_, change) => {
    const alice = await core.signIn()
    const { packId, trackIds } = await makePack(alice, 3)
    const answer = await alice.put(`/v1/packs/${packId}/tracks/order`, { trackIds: change(trackIds) })
    expect([answer.status, answer.body]).toEqual([409, { error: 'track_set_mismatch' }])
    const kept = await alice.put(`/v1/packs/${packId}/tracks/order`, { trackIds })
    expect(positions(kept.body.records)).toEqual(trackIds.map((id, position) => [id, position]))
  })

  it('leaves one of two orders whole when both come at once', async () => {
    const alice = await core.signIn()
    const { packId, trackIds } = await makePack(alice, 4)
    const orders = [trackIds.toReversed(), [...trackIds.slice(2), ...trackIds.slice(0, 2)]]
    await Promise.all(orders.map((ids) => alice.put(`/v1/packs/${packId}/tracks/order`, { trackIds: ids })))
    const rows = await core.sql`select track_id from pack_tracks where pack_id = ${packId} order by position`
    expect(orders).toContainEqual(rows.map((row) => row.track_id))
  })

  it('survives tracks that are removed while packs change', async () => {
    const alice = await core.signIn()
    const { packId, trackIds } = await makePack(alice, 6)
    const extra = await makeTrack(alice)
    const answers = await Promise.all([
      ...trackIds.slice(0, 3).map((id) => alice.delete(`/v1/tracks/${id}`)),
      ...trackIds.slice(0, 3).map((id) => alice.delete(`/v1/packs/${packId}/tracks/${id}`)),
      ...trackIds.slice(0, 3).map((id) => alice.post(`/v1/packs/${packId}/tracks`, { trackId: id })),
      alice.post(`/v1/packs/${packId}/tracks`, { trackId: extra, position: 0 }),
    ])
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    const rows = await core.sql`select position from pack_tracks where pack_id = ${packId} order by 1`
    expect(rows.map((row) => row.position)).toEqual([0, 1, 2, 3])
  })

  it('refuses what is no list of ids', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice)
    const order = `/v1/packs/${packId}/tracks/order`
    expect(invalidPaths(await alice.put(order, { trackIds: 'x' }))).toEqual(['trackIds'])
    expect(invalidPaths(await alice.put(order, { trackIds: ['a', 7] }))).toEqual(['trackIds.1'])
  })
})
