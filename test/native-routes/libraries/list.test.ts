import { describe, expect, it } from 'vitest'
import { createLibrary, insertTrackOf, inviteToLibrary, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('libraries.list', () => {
  const gateway = startTestGateway()

  it('returns an empty list for an account without libraries', async () => {
    const alice = await gateway.signUp()
    const response = await alice.get('/v1/libraries')
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ records: [] })
  })

  it('sorts the libraries by their last change, newest first', async () => {
    const alice = await gateway.signUp()
    const first = await createLibrary(alice, 'First')
    const second = await createLibrary(alice, 'Second')
    await alice.patch(`/v1/libraries/${first.id}`, { description: 'changed' })
    const { body } = await alice.get('/v1/libraries')
    expect(body.records.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id])
  })

  it('counts the tracks, and the pending and accepted shares', async () => {
    const [alice, bob, carol, dave] = await Promise.all([1, 2, 3, 4].map(() => gateway.signUp()))
    const library = await createLibrary(alice!)
    await createLibrary(alice!, 'Another')
    const trackId = await insertTrackOf(gateway.database.sql, alice!.accountId)
    await alice!.post(`/v1/libraries/${library.id}/tracks`, { trackId })
    await shareLibrary(alice!, library, bob!)
    await inviteToLibrary(alice!, library, { email: 'guest@example.test' })
    const declined = await inviteToLibrary(alice!, library, { targetUserId: carol!.accountId })
    await carol!.patch(`/v1/libraries/${library.id}/shares/${declined.id}`, { inviteStatus: 'declined' })
    const revoked = await inviteToLibrary(alice!, library, { targetUserId: dave!.accountId })
    await alice!.delete(`/v1/libraries/${library.id}/shares/${revoked.id}`)

    const { body } = await alice!.get('/v1/libraries')
    expect(body.records).toHaveLength(2)
    expect(body.records).toContainEqual(
      expect.objectContaining({ id: library.id, name: 'Demos', trackCount: 1, shareCount: 2 }),
    )
    expect(body.records).toContainEqual(
      expect.objectContaining({ name: 'Another', trackCount: 0, shareCount: 0 }),
    )
  })

  it('omits libraries that other accounts share with the caller', async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    await shareLibrary(alice, await createLibrary(alice), bob, 'admin')
    expect((await bob.get('/v1/libraries')).body).toEqual({ records: [] })
  })
})
