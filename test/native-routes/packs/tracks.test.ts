import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createIdleGuard } from '#test/support/idle-guard.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'

const nativeLabels = [
  'packs.detail',
  'packs.remove',
  'packs.tracks.add',
  'packs.tracks.remove',
  'packs.tracks.reorder',
  'tracks.remove',
] as const

let isDivided = false
let requests = 0

describe('packs.tracks.add, packs.tracks.remove and packs.tracks.reorder', () => {
  const gateway = startTestGateway({
    core: 'sandbox',
    nativeLabels,
    guard: createIdleGuard({ mayTryNative: () => !isDivided || requests++ % 2 !== 0 }),
  })

  const createPack = async (trackCount: number) => {
    const alice = await gateway.signUp()
    const { packId, trackIds } = await insertPackOf(gateway.database.sql, alice.accountId, trackCount)
    return { alice, packId, trackIds, path: `/v1/packs/${packId}` }
  }
  const insertTrack = (owner: { accountId: string }) => insertTrackOf(gateway.database.sql, owner.accountId)

  const listOrder = async (packId: string) => {
    const rows = await gateway.database.sql<{ track_id: string; position: number }[]>`
      select track_id, position from pack_tracks where pack_id = ${packId} order by position, track_id`
    expect(rows.map(({ position }) => position)).toEqual(rows.map((_, index) => index))
    return rows.map(({ track_id }) => track_id)
  }

  it("append a track, return its entry and update the pack's updatedAt", async () => {
    const { alice, packId, trackIds, path } = await createPack(2)
    const before = (await alice.get(path)).body
    const trackId = await insertTrack(alice)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const response = await alice.post(`${path}/tracks`, { trackId })
    expect([response.status, response.headers.get('x-service-core-runtime')]).toEqual([200, 'native'])
    expect(response.body).toEqual({ packId, trackId, position: 2, addedAt: expect.stringMatching(/Z$/) })
    const after = (await alice.get(path)).body
    expect(after.trackCount).toBe(3)
    expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt))
    expect(await listOrder(packId)).toEqual([...trackIds, trackId])
  })

  it.each([
    [0, 0],
    [1, 1],
    [99, 2],
  ])('map the requested position %d to position %d', async (requested, position) => {
    const { alice, packId, trackIds, path } = await createPack(2)
    const trackId = await insertTrack(alice)
    const { body } = await alice.post(`${path}/tracks`, { trackId, position: requested })
    expect(body.position).toBe(position)
    expect(await listOrder(packId)).toEqual(trackIds.toSpliced(position, 0, trackId))
  })

  it('change nothing if the pack already contains the track', async () => {
    const { alice, packId, trackIds, path } = await createPack(2)
    const before = (await alice.get(path)).body
    const { status, body } = await alice.post(`${path}/tracks`, { trackId: trackIds[1], position: 0 })
    expect([status, body]).toEqual([200, expect.objectContaining({ trackId: trackIds[1], position: 1 })])
    expect(await listOrder(packId)).toEqual(trackIds)
    expect((await alice.get(path)).body).toEqual(before)
  })

  it('assign different positions to tracks that are added concurrently', async () => {
    const { alice, packId, path } = await createPack(1)
    const added = await Promise.all([1, 2, 3, 4].map(() => insertTrack(alice)))
    const responses = await Promise.all(
      added.map((trackId) => alice.post(`${path}/tracks`, { trackId, position: 0 })),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await listOrder(packId)).toHaveLength(5)
  })

  it.each(['natively', 'natively and by the core'])(
    'leave no gaps if tracks are added, removed and deleted concurrently, %s',
    async (by) => {
      const { alice, packId, trackIds, path } = await createPack(10)
      isDivided = by !== 'natively'
      const responses = await Promise.all(
        trackIds.flatMap((trackId) => [
          alice.delete(`/v1/tracks/${trackId}`),
          alice.post(`${path}/tracks`, { trackId, position: 0 }),
          alice.delete(`${path}/tracks/${trackId}`),
        ]),
      )
      isDivided = false
      for (const { status } of responses) expect([200, 204, 404]).toContain(status)
      expect(await listOrder(packId)).toEqual([])
    },
  )

  it('return no server error if the pack is removed at the same time', async () => {
    const { alice, packId, trackIds, path } = await createPack(2)
    const trackId = await insertTrack(alice)
    const responses = await Promise.all([
      alice.post(`${path}/tracks`, { trackId }),
      alice.put(`${path}/tracks/order`, { trackIds }),
      alice.delete(`${path}/tracks/${trackIds[0]}`),
      alice.delete(path),
    ])
    expect(responses.at(-1)?.status).toBe(204)
    for (const { status } of responses) expect([200, 204, 404, 409]).toContain(status)
    expect(await listOrder(packId)).toEqual([])
  })

  it("return 404 for another account's track, and do not add it", async () => {
    const { alice, packId, path } = await createPack(0)
    const foreign = await insertTrack(await gateway.signUp())
    for (const trackId of [foreign, crypto.randomUUID()]) {
      const response = await alice.post(`${path}/tracks`, { trackId })
      expect([response.status, response.body]).toEqual([404, errorBody('track_not_found')])
    }
    expect(await listOrder(packId)).toEqual([])
  })

  it('remove a track, and close the gap in the positions', async () => {
    const { alice, packId, trackIds, path } = await createPack(3)
    const response = await alice.delete(`${path}/tracks/${trackIds[0]}`)
    expect([response.status, response.body]).toEqual([204, ''])
    expect(await listOrder(packId)).toEqual(trackIds.slice(1))
    expect(await gateway.database.sql`select from tracks where id = ${trackIds[0]!}`).toHaveLength(1)
    for (const trackId of [trackIds[0], crypto.randomUUID(), 'no%20id']) {
      const again = await alice.delete(`${path}/tracks/${trackId}`)
      expect([again.status, again.body]).toEqual([404, errorBody('track_not_found')])
    }
  })

  it('order the tracks as requested', async () => {
    const { alice, packId, trackIds, path } = await createPack(4)
    const order = [trackIds[2], trackIds[0], trackIds[3], trackIds[1]]
    const { status, body } = await alice.put(`${path}/tracks/order`, { trackIds: order })
    expect(status).toBe(200)
    expect(body.records).toEqual(
      order.map((trackId, position) => ({ packId, trackId, position, addedAt: expect.any(String) })),
    )
    expect(await listOrder(packId)).toEqual(order)
  })

  it('accept an empty order for an empty pack', async () => {
    const { alice, path } = await createPack(0)
    const { status, body } = await alice.put(`${path}/tracks/order`, { trackIds: [] })
    expect([status, body]).toEqual([200, { records: [] }])
  })

  it('reject an order that does not name each track exactly once', async () => {
    const { alice, packId, trackIds, path } = await createPack(2)
    const [first, second] = trackIds
    const outside = await insertTrack(alice)
    for (const order of [[], [first], [first, first], [first, second, second], [first, outside]]) {
      const response = await alice.put(`${path}/tracks/order`, { trackIds: order })
      expect([response.status, response.body]).toEqual([409, errorBody('track_set_mismatch')])
    }
    expect(await listOrder(packId)).toEqual(trackIds)
  })

  it.each([
    ['POST', 'tracks', 'trackId', {}],
    ['POST', 'tracks', 'trackId', { trackId: 'no id' }],
    ['POST', 'tracks', 'position', { trackId: 'track', position: -1 }],
    ['POST', 'tracks', 'position', { trackId: 'track', position: 1.5 }],
    ['PUT', 'tracks/order', 'trackIds', { trackIds: 'all' }],
    ['PUT', 'tracks/order', 'trackIds.0', { trackIds: [7] }],
  ])('reject a %s to %s with an invalid %s', async (method, path, issue, body) => {
    const { alice, path: packPath } = await createPack(0)
    const response = await gateway.request(method, `${packPath}/${path}`, { token: alice.token, body })
    expect([response.status, response.body.error]).toEqual([400, 'validation_error'])
    expect(response.body.issues[0].path).toBe(issue)
  })

  it("return 404 for another account's pack, even with an invalid body", async () => {
    const { packId, trackIds, path } = await createPack(2)
    const bob = await gateway.signUp()
    for (const response of [
      await bob.post(`${path}/tracks`, '{"broken'),
      await bob.delete(`${path}/tracks/${trackIds[0]}`),
      await bob.put(`${path}/tracks/order`, { trackIds: [] }),
    ])
      expect([response.status, response.body]).toEqual([404, errorBody('pack_not_found')])
    expect(await listOrder(packId)).toEqual(trackIds)
  })
})
