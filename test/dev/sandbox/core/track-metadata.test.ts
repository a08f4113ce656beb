import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidPaths, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const createTrack = async () => {
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
  it('leaves absent fields unchanged', async () => {
    const { alice, track, metadata } = await createTrack()
    const { status, body } = await alice.patch(metadata, { title: ' Low Tide ' })
    expect(status).toBe(200)
    expect(body).toEqual({ ...track, title: 'Low Tide', updatedAt: expect.stringMatching(timestamp) })
    expect(body.updatedAt >= track.updatedAt).toBe(true)
    expect((await alice.get(`/v1/tracks/${track.id}`)).body).toEqual(body)
  })

  it('clears null fields and their compact forms', async () => {
    const { alice, track, metadata } = await createTrack()
    const { body } = await alice.patch(metadata, { isrc: null, iswc: null, releaseDate: null })
    expect(body).toMatchObject({ isrc: null, iswc: null, releaseDate: null, title: 'Slow Tide' })
    const [row] = await core.sql`select isrc_compact, iswc_compact from tracks where id = ${track.id}`
    expect(row).toEqual({ isrc_compact: null, iswc_compact: null })
  })

  it('keeps the separators of a code, and stores a compact form without them', async () => {
    const { alice, track, metadata } = await createTrack()
    const { body } = await alice.patch(metadata, { isrc: ' gb-aye\u00A068-00023 ' })
    expect(body.isrc).toBe('GB-AYE\u00A068-00023')
    const [row] = await core.sql`select isrc_compact from tracks where id = ${track.id}`
    expect(row).toEqual({ isrc_compact: 'GBAYE6800023' })
  })

  it('accepts an Icelandic ISRC whose registrant starts with RC', async () => {
    const { alice, metadata } = await createTrack()
    expect((await alice.patch(metadata, { isrc: 'IS-RC1-24-00001' })).body.isrc).toBe('IS-RC1-24-00001')
  })

  it.each([
    ['an empty body', {}, ''],
    ['only unknown fields', { name: 'x' }, ''],
    ['a null title', { title: null }, 'title'],
    ['a blank artist', { artist: ' ' }, 'artist'],
    ['a bad ISRC', { isrc: 'X' }, 'isrc'],
    ['a bad ISWC', { iswc: '' }, 'iswc'],
    ['a timestamp as a date', { releaseDate: '2023-02-28T00:00:00Z' }, 'releaseDate'],
    ['a day that does not exist', { releaseDate: '2023-02-30' }, 'releaseDate'],
  ])('rejects %s and changes nothing', async (_, change, path) => {
    const { alice, track, metadata } = await createTrack()
    expect(invalidPaths(await alice.patch(metadata, change))).toEqual([path])
    expect((await alice.get(`/v1/tracks/${track.id}`)).body).toEqual(track)
  })
})
