import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePack, makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'
import { storeVersion } from './stored-audio.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('packs.links.create', () => {
  it('creates a link with a random 128-bit slug', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice)
    const { status, body } = await alice.post(`/v1/packs/${packId}/links`)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      packId,
      slug: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: null,
      status: 'active',
      requiresAccessCode: false,
      downloadsEnabled: true,
      expiresAt: null,
      createdAt: expect.stringMatching(timestamp),
      sharePath: `/share/packs/${body.slug}`,
    })
  })
})

describe('tracks.lyrics.replace', () => {
  it('replaces all fields and marks the lyrics as edited by the user', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    const lyrics = `/v1/tracks/${trackId}/lyrics`
    await alice.put(lyrics, { text: 'a', language: 'en', lines: [{ startMs: 1, text: 'a' }] })
    await core.sql`update track_lyrics set source = 'ai', user_edited = false, model = 'large' where track_id = ${trackId}`
    expect((await alice.put(lyrics, { text: 'b' })).body).toMatchObject({
      text: 'b',
      language: null,
      lines: [],
      source: 'user',
    })
    const [row] = await core.sql`select user_edited, model from track_lyrics where track_id = ${trackId}`
    expect(row).toEqual({ user_edited: true, model: null })
  })
})

describe('tracks.remove', () => {
  it("removes the track's versions and schedules the removal of their files", async () => {
    const alice = await core.signIn()
    const { trackIds } = await makePack(alice, 1)
    const { versionId, storageKey } = await storeVersion(core, trackIds[0]!)
    expect((await alice.delete(`/v1/tracks/${trackIds[0]}`)).status).toBe(204)
    expect(await core.sql`select 1 from track_versions where id = ${versionId}`).toEqual([])
    expect(await core.sql`select 1 from object_removals where storage_key = ${storageKey}`).toHaveLength(1)
  })
})
