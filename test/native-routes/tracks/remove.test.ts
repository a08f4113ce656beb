import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'
import { putFile, uploadFile } from '#test/support/uploads.ts'

describe('tracks.remove', () => {
  const gateway = startTestGateway({ storage: true, nativeLabels: ['tracks.remove', 'tracks.detail'] })

  const listOrder = async (packId: string) => {
    const rows = await gateway.database.sql<{ track_id: string; position: number }[]>`
      select track_id, position from pack_tracks where pack_id = ${packId} order by position`
    return rows.map(({ track_id, position }) => [track_id, position])
  }

  it('removes the track with its versions and share links', async () => {
    const alice = await gateway.signUp()
    const { sql } = gateway.database
    const trackId = await insertTrackOf(sql, alice.accountId)
    await insertVersion(sql, trackId)
    await insertVersion(sql, trackId)
    const { body: link } = await alice.post(`/v1/tracks/${trackId}/share-links`, {})
    const response = await alice.delete(`/v1/tracks/${trackId}`)
    expect([response.status, response.body]).toEqual([204, ''])
    expect((await alice.get(`/v1/tracks/${trackId}`)).status).toBe(404)
    const publicPage = await gateway.request('GET', `/v1/public/track-links/${link.token}`)
    expect(publicPage.body).toEqual(errorBody('track_link_unavailable'))
    for (const table of ['track_versions', 'media_assets', 'track_share_links'])
      expect(await sql`select from ${sql(table)} where track_id = ${trackId}`).toHaveLength(0)
  })

  it("keeps the track's recorded visits", async () => {
    const alice = await gateway.signUp()
    const { sql } = gateway.database
    const trackId = await insertTrackOf(sql, alice.accountId)
    await sql`insert into engagement_events (id, owner_id, type, occurred_at, track_id)
      values (${crypto.randomUUID()}, ${alice.accountId}, 'track.played', now(), ${trackId})`
    await alice.delete(`/v1/tracks/${trackId}`)
    expect(await sql`select from engagement_events where track_id = ${trackId}`).toHaveLength(1)
  })

  it('schedules the removal of its files and unfinalized uploads', async () => {
    const alice = await gateway.signUp()
    const { sql } = gateway.database
    const trackId = await insertTrackOf(sql, alice.accountId)
    await uploadFile(alice, trackId)
    const pending = await putFile(alice, trackId)
    const keys = await sql<{ storage_key: string }[]>`
      select storage_key from media_assets where track_id = ${trackId}
      union select upload_key from uploads where track_id = ${trackId}`
    expect(keys.map((row) => row.storage_key)).toContain(`uploads/${pending.uploadId}`)
    await alice.delete(`/v1/tracks/${trackId}`)
    // A client could upload the object again until its upload URL expires, so the removal waits until then.
    const scheduled = await sql<{ storage_key: string }[]>`
      select storage_key from object_removals where remove_after > ${pending.expiresAt}`
    expect(scheduled.map((row) => row.storage_key).sort()).toEqual(
      expect.arrayContaining(keys.map((row) => row.storage_key).sort()),
    )
  })

  it('leaves no gap in the track order of packs that contained the track', async () => {
    const alice = await gateway.signUp()
    const { sql } = gateway.database
    const [first, second] = [
      await insertPackOf(sql, alice.accountId, 3),
      await insertPackOf(sql, alice.accountId, 2),
    ]
    const [trackId = ''] = first.trackIds
    await sql`insert into pack_tracks (pack_id, track_id, position) values (${second.packId}, ${trackId}, 2)`
    await alice.delete(`/v1/tracks/${trackId}`)
    expect(await listOrder(first.packId)).toEqual(first.trackIds.slice(1).map((id, index) => [id, index]))
    expect(await listOrder(second.packId)).toEqual(second.trackIds.map((id, index) => [id, index]))
  })

  it('returns 404 to all but one of several concurrent requests', async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    const responses = await Promise.all([1, 2, 3, 4].map(() => alice.delete(`/v1/tracks/${trackId}`)))
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404])
  })

  it("returns 404 for another account's track and a malformed id, and removes nothing", async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    for (const id of [trackId, 'no%20id']) {
      const response = await bob.delete(`/v1/tracks/${id}`)
      expect([response.status, response.body]).toEqual([404, errorBody('track_not_found')])
    }
    expect((await alice.get(`/v1/tracks/${trackId}`)).status).toBe(200)
  })
})
