import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { createLibrary, insertTrackOf, inviteToLibrary, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe.each([
  ['libraries.detail', ''],
  ['libraries.presentation', '/presentation'],
])('%s', (label, suffix) => {
  const gateway = startTestGateway()
  const pathOf = ({ id }: { id: string }) => `/v1/libraries/${id}${suffix}`
  const pair = () => Promise.all([gateway.signUp(), gateway.signUp()])

  it('returns the library to its owner, with its track and share counts', async () => {
    const [alice, bob] = await pair()
    const library = await createLibrary(alice)
    await alice.post(`/v1/libraries/${library.id}/tracks`, {
      trackId: await insertTrackOf(gateway.database.sql, alice.accountId),
    })
    await shareLibrary(alice, library, bob)
    const response = await alice.get(pathOf(library))
    expect(response.status).toBe(200)
    expect(response.headers.get('x-service-native-route')).toBe(label)
    expect(response.body).toEqual({
      ...library,
      updatedAt: expect.any(String),
      trackCount: 1,
      shareCount: 1,
    })
  })

  it.each(['viewer', 'editor', 'admin'] as const)(
    'returns the same response to a guest with the access type %s',
    async (grade) => {
      const [alice, bob] = await pair()
      const library = await createLibrary(alice)
      await shareLibrary(alice, library, bob, grade)
      const response = await bob.get(pathOf(library))
      expect(response.status).toBe(200)
      expect(response.body).toEqual((await alice.get(pathOf(library))).body)
    },
  )

  it.each(['pending', 'declined', 'left', 'revoked'])(
    'returns 404 to a guest whose share is %s',
    async (end) => {
      const [alice, bob] = await pair()
      const library = await createLibrary(alice)
      const { id } = await inviteToLibrary(alice, library, { targetUserId: bob.accountId }, 'admin')
      const path = `/v1/libraries/${library.id}/shares/${id}`
      if (end === 'left' || end === 'revoked') await bob.patch(path, { inviteStatus: 'accepted' })
      if (end === 'left' || end === 'declined') await bob.patch(path, { inviteStatus: 'declined' })
      if (end === 'revoked') await alice.delete(path)
      const response = await bob.get(pathOf(library))
      expect(response.status).toBe(404)
      expect(response.body).toEqual(errorBody('library_not_found'))
    },
  )

  it.each(['no%20id', 'a'.repeat(129), 'caf%C3%A9'])('returns 404 for the malformed id %s', async (id) => {
    const alice = await gateway.signUp()
    const response = await alice.get(pathOf({ id }))
    expect(response.status).toBe(404)
    expect(response.body).toEqual(errorBody('library_not_found'))
  })
})
