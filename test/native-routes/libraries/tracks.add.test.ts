import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { createLibrary, insertTrackOf, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('libraries.tracks.add', () => {
  const gateway = startTestGateway()
  const pathOf = ({ id }: { id: string }) => `/v1/libraries/${id}/tracks`
  const pair = () => Promise.all([gateway.signUp(), gateway.signUp()])

  it('appends a track and returns its entry in the library', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const [first, second] = [
      await insertTrackOf(gateway.database.sql, alice.accountId),
      await insertTrackOf(gateway.database.sql, alice.accountId, 'Second'),
    ]
    const response = await alice.post(pathOf(library), { trackId: first })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      libraryId: library.id,
      trackId: first,
      position: 0,
      addedAt: expect.stringMatching(/Z$/),
      track: { id: first, title: 'Night Drive', artist: 'The Owls', durationMs: 201000 },
    })
    expect((await alice.post(pathOf(library), { trackId: second })).body).toMatchObject({ position: 1 })
  })

  it('changes nothing if the library already contains the track', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    const first = await alice.post(pathOf(library), { trackId })
    const before = await alice.get(`/v1/libraries/${library.id}`)
    const again = await alice.post(pathOf(library), { trackId })
    expect(again.status).toBe(200)
    expect(again.body).toEqual(first.body)
    expect((await alice.get(`/v1/libraries/${library.id}`)).body).toEqual(before.body)
  })

  it('updates the library’s updatedAt', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    await new Promise((resolve) => setTimeout(resolve, 5))
    await alice.post(pathOf(library), { trackId: await insertTrackOf(gateway.database.sql, alice.accountId) })
    const { body } = await alice.get(`/v1/libraries/${library.id}`)
    expect(Date.parse(body.updatedAt)).toBeGreaterThan(Date.parse(library.updatedAt))
  })

  it("lets an editor add their own and the owner's tracks", async () => {
    const [alice, bob] = await pair()
    const library = await createLibrary(alice)
    await shareLibrary(alice, library, bob, 'editor')
    for (const owner of [alice, bob]) {
      const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
      expect((await bob.post(pathOf(library), { trackId })).status).toBe(200)
    }
  })

  it('adds a track only once if several requests add it concurrently', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    const responses = await Promise.all([1, 2, 3, 4].map(() => alice.post(pathOf(library), { trackId })))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(responses.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect((await alice.get(`/v1/libraries/${library.id}`)).body.trackCount).toBe(1)
  })

  it('assigns different positions to tracks that are added concurrently', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const trackIds = await Promise.all(
      [1, 2, 3, 4, 5].map(() => insertTrackOf(gateway.database.sql, alice.accountId)),
    )
    const responses = await Promise.all(trackIds.map((trackId) => alice.post(pathOf(library), { trackId })))
    expect(responses.map(({ body }) => body.position).sort()).toEqual([0, 1, 2, 3, 4])
  })

  it("returns 404 for an unknown track and for another account's track", async () => {
    const [alice, bob] = await pair()
    const library = await createLibrary(alice)
    for (const trackId of [await insertTrackOf(gateway.database.sql, bob.accountId), crypto.randomUUID()]) {
      const response = await alice.post(pathOf(library), { trackId })
      expect(response.status).toBe(404)
      expect(response.body).toEqual(errorBody('track_not_found'))
    }
  })

  it.each([{}, { trackId: 7 }, { trackId: 'no id' }, { trackId: '' }])('returns 400 for %j', async (body) => {
    const alice = await gateway.signUp()
    const response = await alice.post(pathOf(await createLibrary(alice)), body)
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ error: 'validation_error', issues: [{ path: 'trackId' }] })
  })

  it('returns 403 to a viewer', async () => {
    const [alice, bob] = await pair()
    const library = await createLibrary(alice)
    await shareLibrary(alice, library, bob, 'viewer')
    const response = await bob.post(pathOf(library), {
      trackId: await insertTrackOf(gateway.database.sql, bob.accountId),
    })
    expect(response.status).toBe(403)
    expect(response.body).toEqual(errorBody('forbidden'))
  })
})
