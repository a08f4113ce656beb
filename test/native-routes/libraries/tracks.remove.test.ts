import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { createLibrary, insertTrackOf, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

describe('libraries.tracks.remove', () => {
  const gateway = startTestGateway()
  const pathOf = (library: { id: string }, trackId: string) => `/v1/libraries/${library.id}/tracks/${trackId}`

  const add = async (account: TestAccount, library: { id: string }, owner: TestAccount) => {
    const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
    await account.post(`/v1/libraries/${library.id}/tracks`, { trackId })
    return trackId
  }

  const countTracks = async (account: TestAccount, library: { id: string }) =>
    (await account.get(`/v1/libraries/${library.id}`)).body.trackCount

  it('removes the track from the library without deleting it', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const trackId = await add(alice, library, alice)
    const before = (await alice.get(`/v1/libraries/${library.id}`)).body
    await new Promise((resolve) => setTimeout(resolve, 5))
    const response = await alice.delete(pathOf(library, trackId))
    expect(response.status).toBe(204)
    expect(response.body).toBe('')
    const after = (await alice.get(`/v1/libraries/${library.id}`)).body
    expect(after.trackCount).toBe(0)
    expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt))
    expect(await gateway.database.sql`select id from tracks where id = ${trackId}`).toHaveLength(1)
  })

  it("keeps the other tracks' positions, so that a track added later comes last", async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const [first] = [await add(alice, library, alice), await add(alice, library, alice)]
    await alice.delete(pathOf(library, first))
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    const { body } = await alice.post(`/v1/libraries/${library.id}/tracks`, { trackId })
    expect(body.position).toBe(2)
  })

  it('lets an editor remove their own and the owner’s tracks, and returns 404 for other people’s', async () => {
    const [alice, bob, carol] = await Promise.all([gateway.signUp(), gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(alice)
    await shareLibrary(alice, library, bob, 'editor')
    await shareLibrary(alice, library, carol, 'editor')
    const [ofAlice, ofBob, ofCarol] = [
      await add(alice, library, alice),
      await add(bob, library, bob),
      await add(carol, library, carol),
    ]
    expect((await bob.delete(pathOf(library, ofAlice))).status).toBe(204)
    expect((await bob.delete(pathOf(library, ofBob))).status).toBe(204)
    const response = await bob.delete(pathOf(library, ofCarol))
    expect(response.status).toBe(404)
    expect(response.body).toEqual(errorBody('track_not_found'))
    expect(await countTracks(alice, library)).toBe(1)
  })

  it('lets the owner remove a track that an editor added', async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(alice)
    await shareLibrary(alice, library, bob, 'editor')
    const trackId = await add(bob, library, bob)
    expect((await alice.delete(pathOf(library, trackId))).status).toBe(204)
  })

  it('returns 404 for a track that is not in the library', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const removed = await add(alice, library, alice)
    await alice.delete(pathOf(library, removed))
    const elsewhere = await insertTrackOf(gateway.database.sql, alice.accountId)
    for (const trackId of [removed, elsewhere, crypto.randomUUID(), 'no%20id']) {
      const response = await alice.delete(pathOf(library, trackId))
      expect(response.status).toBe(404)
      expect(response.body).toEqual(errorBody('track_not_found'))
    }
  })

  it('returns 403 to a viewer', async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(alice)
    await shareLibrary(alice, library, bob, 'viewer')
    const trackId = await add(alice, library, alice)
    expect((await bob.delete(pathOf(library, trackId))).body).toEqual(errorBody('forbidden'))
    expect(await countTracks(alice, library)).toBe(1)
  })
})
