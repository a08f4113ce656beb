import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLibrary, shareWith } from './library-sharing.ts'
import { invalidPaths, makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore({ plans: [{ id: 'free', entitlements: { 'collaborators.invite': true } }] })
})
afterAll(() => core.close())

const names = (records: { name: string }[]) => records.map((record) => record.name)

describe('libraries.create', () => {
  it('creates a library', async () => {
    const alice = await core.signIn()
    const { status, headers, body } = await alice.post('/v1/libraries', { name: ' Film  pitches ' })
    expect(status).toBe(201)
    expect(headers.has('location')).toBe(false)
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Film  pitches',
      description: null,
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    })
  })

  it.each([
    ['in another case', 'FILM'],
    ['in another Unicode form', 'ｆｉｌｍ'],
    ['with spaces around it', ' film '],
  ])('returns 409 for the same name %s, but not for another owner', async (_, name) => {
    const alice = await core.signIn()
    await makeLibrary(alice, 'Film')
    const again = await alice.post('/v1/libraries', { name })
    expect([again.status, again.body]).toEqual([409, { error: 'library_name_conflict' }])
    expect((await (await core.signIn()).post('/v1/libraries', { name })).status).toBe(201)
  })

  it.each([{}, { name: ' ' }, { name: 'x'.repeat(121) }, { name: null }, { name: 'a\nb' }])(
    'rejects the body %j',
    async (body) => {
      expect(invalidPaths(await (await core.signIn()).post('/v1/libraries', body))).toEqual(['name'])
    },
  )
})

describe('libraries.list, libraries.detail and libraries.presentation', () => {
  it("return the owner's libraries with counts, most recently changed first", async () => {
    const alice = await core.signIn()
    const first = await makeLibrary(alice, 'first')
    await makeLibrary(alice, 'second')
    expect(names((await alice.get('/v1/libraries')).body.records)).toEqual(['second', 'first'])

    await alice.post(`/v1/libraries/${first}/tracks`, { trackId: await makeTrack(alice) })
    const shares = `/v1/libraries/${first}/shares`
    const invited = await alice.post(shares, { email: 'a@example.test', accessType: 'viewer' })
    await alice.post(shares, { targetUserId: 'acct_other', accessType: 'viewer' })
    await alice.delete(`${shares}/${invited.body.id}`)

    const { records } = (await alice.get('/v1/libraries')).body
    expect(records[0]).toMatchObject({ id: first, trackCount: 1, shareCount: 1 })
    expect((await alice.get(`/v1/libraries/${first}`)).body).toEqual(records[0])
    expect((await alice.get(`/v1/libraries/${first}/presentation`)).body).toEqual(records[0])
  })

  it('do not list libraries that are shared with the caller', async () => {
    const [alice, carol] = [await core.signIn(), await core.signIn()]
    await shareWith(alice, carol, await makeLibrary(alice), 'admin')
    expect((await carol.get('/v1/libraries')).body).toEqual({ records: [] })
  })
})

describe('libraries.update', () => {
  it("leaves absent fields unchanged, and accepts the library's own name in a different case", async () => {
    const alice = await core.signIn()
    const path = `/v1/libraries/${await makeLibrary(alice, 'Film')}`
    const described = await alice.patch(path, { description: 'a\n\tb' })
    expect(described.body).toMatchObject({ name: 'Film', description: 'a\n\tb' })
    const renamed = await alice.patch(path, { name: 'FILM' })
    expect(renamed.body).toMatchObject({ name: 'FILM', description: 'a\n\tb' })
    expect((await alice.patch(path, { description: null })).body.description).toBeNull()
  })

  it('returns 409 for the name of another library, and changes nothing', async () => {
    const alice = await core.signIn()
    await makeLibrary(alice, 'taken')
    const path = `/v1/libraries/${await makeLibrary(alice, 'mine')}`
    const response = await alice.patch(path, { name: 'Taken', description: 'x' })
    expect([response.status, response.body]).toEqual([409, { error: 'library_name_conflict' }])
    expect((await alice.get(path)).body).toMatchObject({ name: 'mine', description: null })
  })

  it.each([
    [{}, ''],
    [{ name: null }, 'name'],
    [{ description: 'x'.repeat(2001) }, 'description'],
    [{ description: 7 }, 'description'],
  ])('rejects the body %j', async (body, path) => {
    const alice = await core.signIn()
    const response = await alice.patch(`/v1/libraries/${await makeLibrary(alice)}`, body)
    expect(invalidPaths(response)).toEqual([path])
  })
})

describe('libraries.remove', () => {
  it('removes the library and its shares, but not its tracks', async () => {
    const [alice, carol] = [await core.signIn(), await core.signIn()]
    const libraryId = await makeLibrary(alice)
    const trackId = await makeTrack(alice)
    await alice.post(`/v1/libraries/${libraryId}/tracks`, { trackId })
    await shareWith(alice, carol, libraryId, 'viewer')
    expect((await alice.delete(`/v1/libraries/${libraryId}`)).status).toBe(204)
    expect((await carol.get('/v1/libraries/shared-with-me')).body).toEqual({ records: [] })
    expect((await alice.get(`/v1/tracks/${trackId}`)).status).toBe(200)
    expect((await alice.delete(`/v1/libraries/${libraryId}`)).body).toEqual({ error: 'library_not_found' })
  })
})
