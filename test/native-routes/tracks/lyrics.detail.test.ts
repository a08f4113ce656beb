import { describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('tracks.lyrics.detail', () => {
  const gateway = startTestGateway()

  const track = async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    return { alice, trackId, path: `/v1/tracks/${trackId}/lyrics` }
  }

  it('returns empty lyrics for a track without any', async () => {
    const { alice, trackId, path } = await track()
    const response = await alice.get(path)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      trackId,
      text: null,
      language: null,
      lines: [],
      source: null,
      status: 'none',
      createdAt: null,
      updatedAt: null,
    })
  })

  it('does not reveal the provider and model of recognized lyrics', async () => {
    const { alice, trackId, path } = await track()
    const lines = [{ startMs: 0, endMs: 900, text: 'Hello', model: 'secret-model' }]
    const { sql } = gateway.database
    await sql`insert into track_lyrics ${sql({
      track_id: trackId,
      text: 'Hello',
      language: 'en',
      lines: sql.json(lines),
      source: 'ai',
      status: 'ready',
      provider: 'secret-provider',
      model: 'secret-model',
    })}`
    const { body } = await alice.get(path)
    expect(body).toEqual({
      trackId,
      text: 'Hello',
      language: 'en',
      lines: [{ startMs: 0, endMs: 900, text: 'Hello' }],
      source: 'ai',
      status: 'ready',
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
    })
    expect(JSON.stringify(body)).not.toContain('secret')
  })
})
