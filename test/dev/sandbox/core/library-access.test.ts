import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLibrary, shareWith } from './library-sharing.ts'
import { expectNotFoundForOthers } from './ownership.ts'
import { makeTrack, type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore({ plans: [{ id: 'free', entitlements: { 'collaborators.invite': true } }] })
})
afterAll(() => core.close())

describe('the core, for a library of another account,', () => {
  it('returns library_not_found on every route unless the library is shared', async () => {
    const path = `/v1/libraries/${await makeLibrary(await core.signIn())}`
    await expectNotFoundForOthers(await core.signIn(), 'library_not_found', [
      ['get', path],
      ['patch', path],
      ['delete', path],
      ['get', `${path}/presentation`],
      ['post', `${path}/tracks`],
      ['delete', `${path}/tracks/any`],
      ['get', `${path}/shares`],
      ['post', `${path}/shares`],
      ['patch', `${path}/shares/any`],
      ['delete', `${path}/shares/any`],
      ['get', '/v1/libraries/not%20an%20id'],
    ])
  })

  it.each([
    ['viewer', [200, 200, 403, 403, 403, 403, 403]],
    ['editor', [200, 200, 200, 204, 403, 403, 403]],
    ['admin', [200, 200, 200, 204, 200, 403, 403]],
  ] as const)('lets a %s do what the grade allows', async (grade, statuses) => {
    const [alice, carol] = [await core.signIn(), await core.signIn()]
    const libraryId = await makeLibrary(alice)
    const path = `/v1/libraries/${libraryId}`
    await shareWith(alice, carol, libraryId, grade)
    const trackId = await makeTrack(carol)
    const responses = [
      await carol.get(path),
      await carol.get(`${path}/presentation`),
      await carol.post(`${path}/tracks`, { trackId }),
      await carol.delete(`${path}/tracks/${trackId}`),
      await carol.patch(path, { description: 'by carol' }),
      await carol.get(`${path}/shares`),
      await carol.delete(path),
    ]
    expect(responses.map(({ status }) => status)).toEqual(statuses)
    expect(responses.filter(({ status, body }) => status === 403 && body.error !== 'forbidden')).toEqual([])
  })

  it("lets editors add and remove the owner's tracks and their own, but not another member's", async () => {
    const [alice, carol, dave] = [await core.signIn(), await core.signIn(), await core.signIn()]
    const libraryId = await makeLibrary(alice)
    const path = `/v1/libraries/${libraryId}/tracks`
    await shareWith(alice, carol, libraryId, 'editor')
    await shareWith(alice, dave, libraryId, 'editor')
    const [aliceTrack, daveTrack] = [await makeTrack(alice), await makeTrack(dave)]
    expect((await carol.post(path, { trackId: aliceTrack })).status).toBe(200)
    expect((await carol.post(path, { trackId: daveTrack })).status).toBe(404)
    await dave.post(path, { trackId: daveTrack })
    expect((await carol.delete(`${path}/${daveTrack}`)).status).toBe(404)
    expect((await carol.delete(`${path}/${aliceTrack}`)).status).toBe(204)
    expect((await alice.delete(`${path}/${daveTrack}`)).status).toBe(204)
  })
})
