import { describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const path = '/v1/internal/media-dispatches/drain-eligible'

describe('internal.media-dispatches.list', () => {
  const gateway = startTestGateway()
  const list = (query = '', token = 'internal-token-of-the-tests') =>
    gateway.request('GET', path + query, { token })
  const insertDispatch = async (status: string) => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const [versionId, id] = [crypto.randomUUID(), crypto.randomUUID()]
    await gateway.database.sql.begin(async (tx) => {
      await tx`insert into track_versions (id, track_id, version_number) values (${versionId}, ${trackId}, 1)`
      await tx`update tracks set last_version_number = 1, current_version_id = ${versionId} where id = ${trackId}`
      await tx`
        insert into media_dispatches (id, track_id, version_id, status)
        values (${id}, ${trackId}, ${versionId}, ${status})`
    })
    return { id, trackId }
  }

  it('lists queued dispatches in pages, oldest first', async () => {
    expect((await list()).body).toEqual({ records: [], nextCursor: null })
    const waiting = [
      await insertDispatch('queued'),
      await insertDispatch('queued'),
      await insertDispatch('queued'),
    ]
    for (const status of ['dispatched', 'running', 'succeeded', 'failed']) await insertDispatch(status)
    const first = (await list('?limit=2')).body
    expect(first.records).toEqual(
      waiting.slice(0, 2).map(({ id, trackId }) => ({
        id,
        trackId,
        kind: 'media_intelligence',
        status: 'queued',
        attempt: 0,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      })),
    )
    const second = (await list(`?limit=2&cursor=${encodeURIComponent(first.nextCursor)}`)).body
    expect(second).toMatchObject({ records: [{ id: waiting[2]!.id }], nextCursor: null })
    expect((await list('?limit=3')).body.nextCursor).toBeNull()
  })

  it.each(['?limit=0', '?limit=501', '?cursor=nonsense', '?cursor=%00'])(
    'returns 400 for %s',
    async (query) => {
      const response = await list(query)
      expect(response.status).toBe(400)
      expect(response.body.error).toBe('validation_error')
    },
  )

  it('returns 401 without the internal token', async () => {
    const account = await gateway.signUp()
    expect((await list('', account.token)).status).toBe(401)
    expect((await gateway.request('GET', path)).status).toBe(401)
  })
})
