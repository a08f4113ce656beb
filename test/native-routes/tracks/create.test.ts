import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('tracks.create', () => {
  const gateway = startTestGateway({ nativeLabels: ['tracks.create', 'tracks.detail'] })
  const required = { title: 'Low Tide', artist: 'The Owls' }

  it('creates a track without audio, and returns it with its path in Location', async () => {
    const alice = await gateway.signUp()
    const response = await alice.post('/v1/tracks', {
      ...required,
      title: '  Low Tide ',
      ownerId: 'acct_other',
    })
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      id: expect.stringMatching(/^[\w-]{36}$/),
      ...required,
      isrc: null,
      iswc: null,
      releaseDate: null,
      durationMs: null,
      currentVersionId: null,
      processingState: 'pending',
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: response.body.createdAt,
    })
    expect(response.headers.get('location')).toBe(`/v1/tracks/${response.body.id}`)
    expect((await alice.get(`/v1/tracks/${response.body.id}`)).body).toEqual(response.body)
  })

  it('stores the ISRC and ISWC in upper case with separators, and compactly for lookups', async () => {
    const alice = await gateway.signUp()
    const codes = { isrc: ' us-s1z-99-00001 ', iswc: 't-034.524.680-1', releaseDate: '2024-02-29' }
    const { body } = await alice.post('/v1/tracks', { ...required, ...codes })
    expect(body).toMatchObject({
      isrc: 'US-S1Z-99-00001',
      iswc: 'T-034.524.680-1',
      releaseDate: '2024-02-29',
    })
    const [stored] = await gateway.database.sql`
      select owner_id, isrc_compact, iswc_compact from tracks where id = ${body.id}`
    expect(stored).toEqual({
      owner_id: alice.accountId,
      isrc_compact: 'USS1Z9900001',
      iswc_compact: 'T0345246801',
    })
  })

  it.each([
    ['title', { artist: 'The Owls' }],
    ['artist', { title: 'Low Tide', artist: '  ' }],
    ['title', { ...required, title: 'x'.repeat(301) }],
    ['isrc', { ...required, isrc: 'US-S1Z-99' }],
    ['iswc', { ...required, iswc: 'T-1' }],
    ['releaseDate', { ...required, releaseDate: '2023-02-29' }],
  ])('rejects an invalid %s and creates nothing', async (path, body) => {
    const alice = await gateway.signUp()
    const response = await alice.post('/v1/tracks', body)
    expect([response.status, response.body.error]).toEqual([400, 'validation_error'])
    expect(response.body.issues).toEqual([{ path, message: expect.any(String) }])
    expect(await gateway.database.sql`select from tracks where owner_id = ${alice.accountId}`).toHaveLength(0)
  })

  it('returns 401 without a token', async () => {
    const response = await gateway.request('POST', '/v1/tracks', { body: required })
    expect([response.status, response.body]).toEqual([401, errorBody('unauthorized')])
  })
})
