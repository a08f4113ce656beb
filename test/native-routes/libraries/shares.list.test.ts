import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { createLibrary, inviteToLibrary, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('libraries.shares.list', () => {
  const gateway = startTestGateway()
  const pathOf = ({ id }: { id: string }) => `/v1/libraries/${id}/shares`

  it('lists all shares, newest first, including revoked ones', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const first = await inviteToLibrary(alice, library, { targetUserId: 'acct_guest' }, 'editor')
    await alice.delete(`${pathOf(library)}/${first.id}`)
    const second = await inviteToLibrary(alice, library, { email: 'guest@example.test' })
    const response = await alice.get(pathOf(library))
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      records: [
        second,
        {
          ...first,
          accessType: 'revoked',
          inviteStatus: 'revoked',
          updatedAt: expect.any(String),
          revokedAt: expect.any(String),
        },
      ],
    })
  })

  it('returns 403 to an admin', async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(alice)
    await shareLibrary(alice, library, bob, 'admin')
    const response = await bob.get(pathOf(library))
    expect(response.status).toBe(403)
    expect(response.body).toEqual(errorBody('forbidden'))
  })

  it('returns 404 to an account with a pending invitation', async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(alice)
    await inviteToLibrary(alice, library, { targetUserId: bob.accountId }, 'admin')
    const response = await bob.get(pathOf(library))
    expect(response.status).toBe(404)
    expect(response.body).toEqual(errorBody('library_not_found'))
  })
})
