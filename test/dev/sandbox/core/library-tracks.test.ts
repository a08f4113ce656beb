import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLibrary } from './library-sharing.ts'
import { invalidPaths, makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore({ plans: [{ id: 'free', entitlements: { 'collaborators.invite': true } }] })
})
afterAll(() => core.close())

describe('libraries.tracks.add', () => {
  it('appends a track, and returns the same record for a repeated request', async () => {
    const alice = await core.signIn()
    const libraryId = await makeLibrary(alice)
    const path = `/v1/libraries/${libraryId}/tracks`
    await alice.post(path, { trackId: await makeTrack(alice) })
    const trackId = await makeTrack(alice, 'Night Ferry')
    const { status, body } = await alice.post(path, { trackId })
    expect(status).toBe(200)
    expect(body).toEqual({
      libraryId,
      trackId,
      position: 1,
      addedAt: expect.stringMatching(timestamp),
      track: { id: trackId, title: 'Night Ferry', artist: 'Alice', durationMs: null },
    })
    const again = await alice.post(path, { trackId })
    expect([again.status, again.body]).toEqual([200, body])
  })

  it('returns 404 for a track of another account', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(await core.signIn())
    const response = await alice.post(`/v1/libraries/${await makeLibrary(alice)}/tracks`, { trackId })
    expect([response.status, response.body]).toEqual([404, { error: 'track_not_found' }])
  })

  it.each([{}, { trackId: 'not an id' }, { trackId: 7 }])('rejects the body %j', async (body) => {
    const alice = await core.signIn()
    const response = await alice.post(`/v1/libraries/${await makeLibrary(alice)}/tracks`, body)
    expect(invalidPaths(response)).toEqual(['trackId'])
  })
})

describe('libraries.tracks.remove', () => {
  it('removes the track, and returns 404 the second time', async () => {
    const alice = await core.signIn()
    const path = `/v1/libraries/${await makeLibrary(alice)}/tracks`
    const trackId = await makeTrack(alice)
    await alice.post(path, { trackId })
    expect((await alice.delete(`${path}/${trackId}`)).status).toBe(204)
    const again = await alice.delete(`${path}/${trackId}`)
    expect([again.status, again.body]).toEqual([404, { error: 'track_not_found' }])
  })
})
