import { describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('tracks.split-sheet.detail', () => {
  const gateway = startTestGateway()

  it('returns an empty, incomplete sheet for a track without one', async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    const response = await alice.get(`/v1/tracks/${trackId}/split-sheet`)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      trackId,
      address: '',
      intendedUse: '',
      master: [],
      writers: [],
      publishers: [],
      status: { isComplete: false, validationErrors: [], validatedAt: null },
      createdAt: null,
      updatedAt: null,
    })
  })

  it('omits stored owner ids at every depth', async () => {
    const { sql } = gateway.database
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(sql, alice.accountId)
    const owned = { collaboratorId: 'ann', percentage: 100, ownerId: alice.accountId }
    const collectionSplits = [{ right: 'sync', percentage: 1, territory: 'DE', ownerId: alice.accountId }]
    const publisher = {
      ...owned,
      writerCollaboratorId: null,
      role: 'administrator',
      territory: 'WORLD',
      collectionSplits,
      subPublishers: [{ ...owned, territories: ['DE'], collectionSplits }],
    }
    await sql`insert into split_sheets ${sql({
      track_id: trackId,
      master: sql.json([owned]),
      writers: sql.json([owned]),
      publishers: sql.json([publisher]),
      validated_at: new Date(),
    })}`
    const { status, body } = await alice.get(`/v1/tracks/${trackId}/split-sheet`)
    expect(status).toBe(200)
    expect(body.publishers[0].subPublishers[0].collectionSplits).toEqual([
      { right: 'sync', percentage: 1, territory: 'DE' },
    ])
    expect(JSON.stringify(body)).not.toContain(alice.accountId)
    expect(JSON.stringify(body)).not.toContain('ownerId')
  })
})
