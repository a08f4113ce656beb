import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

describe('tracks.detail', () => {
  const gateway = startTestGateway({ nativeLabels: ['tracks.detail'] })

  it('returns the track with its current version', async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    const { id: currentVersionId } = await insertVersion(gateway.database.sql, trackId)
    const response = await alice.get(`/v1/tracks/${trackId}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-service-core-runtime')).toBe('native')
    expect(response.body).toEqual({
      id: trackId,
      title: 'Night Drive',
      artist: 'The Owls',
      isrc: null,
      iswc: null,
      releaseDate: null,
      durationMs: 201000,
      currentVersionId,
      processingState: 'pending',
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    })
  })

  it("returns identical 404 responses for another account's track, an unknown track and a malformed id", async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const foreign = await insertTrackOf(gateway.database.sql, alice.accountId)
    for (const id of [foreign, crypto.randomUUID(), 'no%20id', '%F0%9F%8E%B5']) {
      const response = await bob.get(`/v1/tracks/${id}`)
      expect([response.status, response.body]).toEqual([404, errorBody('track_not_found')])
    }
  })
})
