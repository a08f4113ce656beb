import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { createLibrary, insertTrackOf, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('libraries.remove', () => {
  const gateway = startTestGateway()
  const pathOf = ({ id }: { id: string }) => `/v1/libraries/${id}`

  it('removes the library for its owner and guests, but keeps its tracks', async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(alice)
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    await alice.post(`${pathOf(library)}/tracks`, { trackId })
    await shareLibrary(alice, library, bob)
    const response = await alice.delete(pathOf(library))
    expect(response.status).toBe(204)
    expect(response.body).toBe('')
    expect((await alice.get('/v1/libraries')).body.records).toEqual([])
    expect((await bob.get('/v1/libraries/shared-with-me')).body.records).toEqual([])
    expect((await bob.get(pathOf(library))).body).toEqual(errorBody('library_not_found'))
    const tracks = await gateway.database.sql`select id from tracks where id = ${trackId}`
    expect(tracks).toHaveLength(1)
  })

  it('makes the name available again', async () => {
    const alice = await gateway.signUp()
    await alice.delete(pathOf(await createLibrary(alice)))
    expect((await alice.post('/v1/libraries', { name: 'Demos' })).status).toBe(201)
  })

  it("stops counting the library's invitations towards the quota", async () => {
    const alice = await gateway.signUp({ plan: 'starter' })
    const library = await createLibrary(alice)
    const invitation = (path: string) =>
      alice.post(`${path}/shares`, { targetUserId: crypto.randomUUID(), accessType: 'viewer' })
    await invitation(pathOf(library))
    await invitation(pathOf(library))
    await alice.delete(pathOf(library))
    expect((await invitation(pathOf(await createLibrary(alice)))).status).toBe(201)
  })

  it('returns 403 to an admin', async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(alice)
    await shareLibrary(alice, library, bob, 'admin')
    const response = await bob.delete(pathOf(library))
    expect(response.status).toBe(403)
    expect(response.body).toEqual(errorBody('forbidden'))
    expect((await alice.get(pathOf(library))).status).toBe(200)
  })

  it('returns 404 for the second of two concurrent requests', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const responses = await Promise.all([alice.delete(pathOf(library)), alice.delete(pathOf(library))])
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404])
  })
})
