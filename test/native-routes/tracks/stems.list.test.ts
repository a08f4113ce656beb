import { describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertStem, insertVersion } from '#test/support/track-fixtures.ts'

describe('tracks.stems.list', () => {
  const gateway = startTestGateway()

  const trackWithAudio = async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    const version = await insertVersion(gateway.database.sql, trackId)
    return { alice, trackId, version, path: `/v1/tracks/${trackId}/stems` }
  }

  it('lists the stems of the current version without their storage keys', async () => {
    const { alice, trackId, version, path } = await trackWithAudio()
    const { id, assetId } = await insertStem(gateway.database.sql, trackId, { versionId: version.id })
    const response = await alice.get(path)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      trackId,
      status: 'ready',
      stems: [
        {
          id,
          kind: 'vocals',
          label: 'VOCALS',
          assetId,
          contentType: 'audio/flac',
          byteSize: 1024,
          durationMs: 201000,
          source: 'ai',
          createdAt: expect.any(String),
        },
      ],
    })
  })

  it('omits stems of other versions and includes uploaded stems', async () => {
    const { alice, trackId, version, path } = await trackWithAudio()
    const { sql } = gateway.database
    const other = await insertVersion(sql, trackId)
    await insertStem(sql, trackId, { versionId: other.id, kind: 'drums' })
    await insertStem(sql, trackId, { versionId: version.id, kind: 'bass' })
    await insertStem(sql, trackId, { kind: 'piano' })
    const { stems } = (await alice.get(path)).body
    expect(stems.map(({ kind, source }: Record<string, unknown>) => [kind, source]).toSorted()).toEqual([
      ['bass', 'ai'],
      ['piano', 'upload'],
    ])
  })

  it.each([
    [null, 'queued'],
    ['pending', 'queued'],
    ['skipped', 'none'],
    ['processing', 'processing'],
    ['failed', 'failed'],
    ['ready', 'ready'],
  ])('maps the lane status %s to %s', async (lane, status) => {
    const { alice, trackId, path } = await trackWithAudio()
    const { sql } = gateway.database
    if (lane)
      await sql`insert into processing_lanes (track_id, lane, status) values (${trackId}, 'stems', ${lane})`
    expect((await alice.get(path)).body).toEqual({ trackId, status, stems: [] })
  })

  it('returns an empty list for a track without audio', async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    expect((await alice.get(`/v1/tracks/${trackId}/stems`)).body).toEqual({
      trackId,
      status: 'none',
      stems: [],
    })
  })
})
