import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('tracks.metadata.update', () => {
  const gateway = startTestGateway({ core: 'sandbox' })

  const codedTrack = async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    const path = `/v1/tracks/${trackId}/metadata`
    const { body: track } = await alice.patch(path, {
      isrc: 'US-S1Z-99-00001',
      iswc: 'T-034.524.680-1',
      releaseDate: '2024-02-29',
    })
    return { alice, trackId, path, track }
  }

  const compactCodesOf = async (trackId: string) => {
    const { sql } = gateway.database
    const [codes] = await sql`select isrc_compact, iswc_compact from tracks where id = ${trackId}`
    return [codes?.isrc_compact, codes?.iswc_compact]
  }

  it('changes the given fields, keeps the others and returns the track', async () => {
    const { alice, trackId, path, track } = await codedTrack()
    await new Promise((resolve) => setTimeout(resolve, 5))
    const response = await alice.patch(path, { title: '  Low Tide ', colour: 'blue' })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      id: trackId,
      title: 'Low Tide',
      artist: 'The Owls',
      isrc: 'US-S1Z-99-00001',
      iswc: 'T-034.524.680-1',
      releaseDate: '2024-02-29',
      durationMs: 201000,
      currentVersionId: null,
      processingState: 'pending',
      createdAt: track.createdAt,
      updatedAt: expect.any(String),
    })
    expect(Date.parse(response.body.updatedAt)).toBeGreaterThan(Date.parse(track.updatedAt))
    expect((await alice.get(`/v1/tracks/${trackId}`)).body).toEqual(response.body)
  })

  it('clears fields set to null, and their compact forms', async () => {
    const { alice, trackId, path } = await codedTrack()
    expect(await compactCodesOf(trackId)).toEqual(['USS1Z9900001', 'T0345246801'])
    const { body } = await alice.patch(path, { isrc: null, iswc: null, releaseDate: null })
    expect(body).toMatchObject({ isrc: null, iswc: null, releaseDate: null, title: 'Night Drive' })
    expect(await compactCodesOf(trackId)).toEqual([null, null])
  })

  it.each([
    ['isrc', ' gb-aye-68-00023 ', 'GB-AYE-68-00023', 'GBAYE6800023'],
    ['isrc', 'ISRC GB AYE 68 00023', 'ISRC GB AYE 68 00023', 'GBAYE6800023'],
    ['isrc', 'isrc1 24 00001', 'ISRC1 24 00001', 'ISRC12400001'],
    ['iswc', 't-034.524.680-1', 'T-034.524.680-1', 'T0345246801'],
    ['iswc', 'T 0345246801', 'T 0345246801', 'T0345246801'],
  ])('stores an %s in upper case with its separators: %s', async (field, sent, stored, compact) => {
    const { alice, trackId, path } = await codedTrack()
    const response = await alice.patch(path, { [field]: sent })
    expect(response.status).toBe(200)
    expect(response.body[field]).toBe(stored)
    expect(await compactCodesOf(trackId)).toContain(compact)
  })

  it.each([
    ['an empty body', {}, ''],
    ['unknown fields only', { name: 'x' }, ''],
    ['a null title', { title: null }, 'title'],
    ['a blank artist', { artist: ' ' }, 'artist'],
    ['a title of 301 characters', { title: '🎹'.repeat(301) }, 'title'],
    ['a short ISRC', { isrc: 'GB-AYE-68-0002' }, 'isrc'],
    ['an empty ISRC', { isrc: '' }, 'isrc'],
    ['an ISWC without its T', { iswc: '034.524.680-1' }, 'iswc'],
    ['a day that does not exist', { releaseDate: '2023-02-29' }, 'releaseDate'],
    ['a date with a time', { releaseDate: '2023-02-28T00:00:00Z' }, 'releaseDate'],
  ])('returns 400 for %s and changes nothing', async (_, change, issuePath) => {
    const { alice, trackId, path, track } = await codedTrack()
    const response = await alice.patch(path, change)
    expect(response.status).toBe(400)
    expect(response.body).toEqual(
      errorBody('validation_error', { issues: [{ path: issuePath, message: expect.any(String) }] }),
    )
    expect((await alice.get(`/v1/tracks/${trackId}`)).body).toEqual(track)
  })

  it('returns 400 for a request without a body', async () => {
    const { alice, path } = await codedTrack()
    expect((await alice.patch(path)).body).toMatchObject({
      error: 'validation_error',
      issues: [{ path: '' }],
    })
  })

  it('returns 400 with one issue for each invalid field', async () => {
    const { alice, path } = await codedTrack()
    const { status, body } = await alice.patch(path, { title: '', isrc: 'x', releaseDate: 'soon' })
    expect(status).toBe(400)
    expect(body.issues.map((issue: { path: string }) => issue.path)).toEqual(['title', 'isrc', 'releaseDate'])
  })

  it('merges concurrent changes to different fields', async () => {
    const { alice, trackId, path } = await codedTrack()
    await Promise.all([alice.patch(path, { title: 'One' }), alice.patch(path, { artist: 'Two' })])
    expect((await alice.get(`/v1/tracks/${trackId}`)).body).toMatchObject({ title: 'One', artist: 'Two' })
  })
})
