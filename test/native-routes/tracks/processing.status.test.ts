import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('tracks.processing.status', () => {
  const gateway = startTestGateway()
  const signUp = async () => {
    const account = await gateway.signUp()
    return { account, trackId: await insertTrackOf(gateway.database.sql, account.accountId) }
  }

  it('returns pending lanes and empty lists for a track without audio', async () => {
    const { account, trackId } = await signUp()
    const response = await account.get(`/v1/tracks/${trackId}/processing-status`)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-service-native-route')).toBe('tracks.processing.status')
    const pending = { status: 'pending', ready: false, updatedAt: null }
    expect(response.body).toEqual({
      trackId,
      stages: [],
      assets: [],
      remoteDispatches: [],
      readiness: {
        playback: pending,
        waveform: pending,
        tags: pending,
        stems: pending,
        lyrics: pending,
        embeddings: pending,
      },
    })
  })

  it("returns 404 for another account's track", async () => {
    const [{ trackId }, other] = [await signUp(), await gateway.signUp()]
    const response = await other.get(`/v1/tracks/${trackId}/processing-status`)
    expect([response.status, response.body]).toEqual([404, errorBody('track_not_found')])
  })
})
