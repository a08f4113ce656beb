import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidPaths, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const codedTrack = async () => {
  const alice = await core.signIn()
  const { body: track } = await alice.post('/v1/tracks', {
    title: 'Slow Tide',
    artist: 'Alice',
    isrc: 'US-S1Z-99-00001',
    iswc: 'T-034.524.680-1',
    releaseDate: '2024-02-29',
  })
  return { alice, track, metadata: `/v1/tracks/${track.id}/metadata` }
}

describe('tracks.metadata.update', () => {
  it('changes what is named and leaves the rest', async () => {
    const { alice, track, metadata } = await codedTrack()
    const { status, body } = await alice.patch(metadata, { title: ' Low Tide ' })
    expect(status).toBe(200)
    expect(body).toEqual({ ...track, title: 'Low Tide', updatedAt: expect.stringMatching(timestamp) })
    expect(body.updatedAt >= track.updatedAt).toBe(true)
    expect((await alice.get(`/v1/tracks/${track.id}`)).body).toEqual(body)
  })

  it('clears what is null, and the compact form with it', async () => {
    const { alice, track, metadata } = await codedTrack()
    const { body } = await alice.patch(metadata, { isrc: null, iswc: null, releaseDate: null })
    expect(body).toMatchObject({ isrc: null, iswc: null, releaseDate: null, title: 'Slow Tide' })
    const [row] = await core.sql`select isrc_compact, iswc_compact from tracks where id = ${track.id}`
    expect(row).toEqual({ isrc_compact: null, iswc_compact: null })
  })

  it('keeps the separators of a code and compares without them', async () => {
    const { alice, track, metadata } = await codedTrack()
    const { body } = await alice.patch(metadata, { isrc: ' gb-aye\u00A068-00023 ' })
    expect(body.isrc).toBe('GB-AYE\u00A068-00023')
    const [row] = await core.sql`select isrc_compact from tracks where id = ${track.id}`
    expect(row).toEqual({ isrc_compact: 'GBAYE6800023' })
  })

  it('takes a code of Iceland for one, whatever its registrant', async () => {
    const { alice, metadata } = await codedTrack()
    expect((await alice.patch(metadata, { isrc: 'IS-RC1-24-00001' })).body.isrc).toBe('IS-RC1-24-00001')
  })

  it.each([
    ['nothing', {}, ''],
    ['nothing it knows', { name: 'x' }, ''],
    ['a null title', { title: null }, 'title'],
    ['a blank artist', { artist: ' ' }, 'artist'],
    ['a bad ISRC', { isrc: 'X' }, 'isrc'],
    ['a bad ISWC', { iswc: '' }, 'iswc'],
    ['a moment for a day', { releaseDate: '2023-02-28T00:00:00Z' }, 'releaseDate'],
    ['a day that does not exist', { releaseDate: '2023-02-30' }, 'releaseDate'],
  ])('refuses %s and changes nothing', async (_, change, path) => {
    const { alice, track, metadata } = await codedTrack()
    expect(invalidPaths(await alice.patch(metadata, change))).toEqual([path])
    expect((await alice.get(`/v1/tracks/${track.id}`)).body).toEqual(track)
  })
})
