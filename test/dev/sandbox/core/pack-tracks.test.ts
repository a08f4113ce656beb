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
  it('appends a track, or inserts it at a position and moves the others', async () => {
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

  it('appends a track if its position is beyond the end', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice, 1)
    const trackId = await makeTrack(alice)
    const { body } = await alice.post(`/v1/packs/${packId}/tracks`, { trackId, position: 100_000 })
    expect(body.position).toBe(1)
  })

  it('rejects a position over 100,000', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice, 0)
    const body = { trackId: await makeTrack(alice), position: 100_001 }
    const response = await alice.post(`/v1/packs/${packId}/tracks`, body)
    expect([response.status, response.body.issues[0].path]).toEqual([400, 'position'])
  })

  it('returns the existing record for a track that is already in the pack', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice, 1)
    const trackId = await makeTrack(alice)
    const first = await alice.post(`/v1/packs/${packId}/tracks`, { trackId })
    const second = await alice.post(`/v1/packs/${packId}/tracks`, { trackId, position: 0 })
    expect([second.status, second.body]).toEqual([200, first.body])
  })

  it('returns 404 for a track of another account', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice)
    const trackId = await makeTrack(await core.signIn())
    const response = await alice.post(`/v1/packs/${packId}/tracks`, { trackId })
    expect([response.status, response.body]).toEqual([404, { error: 'track_not_found' }])
  })

  it.each([
    [{}, 'trackId'],
    [{ trackId: 'not an id' }, 'trackId'],
    [{ trackId: 'a', position: -1 }, 'position'],
    [{ trackId: 'a', position: 0.5 }, 'position'],
  ])('rejects the body %j', async (body, path) => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice)
    expect(invalidPaths(await alice.post(`/v1/packs/${packId}/tracks`, body))).toEqual([path])
  })
})

describe('packs.tracks.remove', () => {
  it('removes the track and closes the gap', async () => {
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
    ['a missing track', (ids) => ids.slice(1)],
    ['an unknown track', (ids) => [...ids.slice(1), 'other']],
    ['a repeated track', (ids) => [...ids, ids[0]!]],
    ['a repeated track in place of another', (ids) => [ids[0]!, ...ids.slice(0, -1)]],
  ])('returns track_set_mismatch for %s and changes nothing', async (_, change) => {
    const alice = await core.signIn()
    const { packId, trackIds } = await makePack(alice, 3)
    const response = await alice.put(`/v1/packs/${packId}/tracks/order`, { trackIds: change(trackIds) })
    expect([response.status, response.body]).toEqual([409, { error: 'track_set_mismatch' }])
    const unchanged = await alice.put(`/v1/packs/${packId}/tracks/order`, { trackIds })
    expect(positions(unchanged.body.records)).toEqual(trackIds.map((id, position) => [id, position]))
  })

  it('rejects a body that is not a list of ids', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice)
    const order = `/v1/packs/${packId}/tracks/order`
    expect(invalidPaths(await alice.put(order, { trackIds: 'x' }))).toEqual(['trackIds'])
    expect(invalidPaths(await alice.put(order, { trackIds: ['a', 7] }))).toEqual(['trackIds.1'])
  })
})
