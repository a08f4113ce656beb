import { describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

describe('tracks.versions.list', () => {
  const gateway = startTestGateway()

  it('lists the versions by number, each with its file, and names the current one', async () => {
    const { sql } = gateway.database
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(sql, alice.accountId)
    const original = await insertVersion(sql, trackId)
    const removed = await insertVersion(sql, trackId)
    const third = await insertVersion(sql, trackId, {
      label: 'Master',
      status: 'processing',
      isCurrent: true,
    })
    await sql`delete from track_versions where id = ${removed.id}`

    const response = await alice.get(`/v1/tracks/${trackId}/versions`)
    expect(response.status).toBe(200)
    const file = { fileName: 'night-drive.wav', contentType: 'audio/wav', byteSize: 1024 }
    const audio = { durationMs: 201000, sampleRate: 44100, channels: 2 }
    expect(response.body).toEqual({
      trackId,
      currentVersionId: third.id,
      versions: [
        {
          ...original,
          versionNumber: 1,
          label: null,
          isOriginal: true,
          isCurrent: false,
          status: 'ready',
          ...file,
          ...audio,
          createdAt: expect.any(String),
        },
        {
          ...third,
          versionNumber: 3,
          label: 'Master',
          isOriginal: false,
          isCurrent: true,
          status: 'processing',
          ...file,
          ...audio,
          createdAt: expect.any(String),
        },
      ],
    })
  })

  it('returns an empty list for a track without audio', async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    const { body } = await alice.get(`/v1/tracks/${trackId}/versions`)
    expect(body).toEqual({ trackId, currentVersionId: null, versions: [] })
  })
})
