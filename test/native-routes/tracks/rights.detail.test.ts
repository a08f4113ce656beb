import { describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('tracks.rights.detail', () => {
  const gateway = startTestGateway()

  it('returns no entries, even for a track with a split sheet', async () => {
    const alice = await gateway.signUp()
    const path = `/v1/tracks/${await insertTrackOf(gateway.database.sql, alice.accountId)}`
    const whole = [{ collaboratorId: 'ann', percentage: 100 }]
    expect((await alice.put(`${path}/split-sheet`, { master: whole, writers: whole })).status).toBe(200)
    const response = await alice.get(`${path}/rights`)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      entries: [],
      status: {
        isComplete: false,
        validationErrors: [],
        validatedAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      },
    })
  })
})
