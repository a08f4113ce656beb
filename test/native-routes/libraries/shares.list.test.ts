import { describe, expect, it } from 'vitest'
import { createLibrary, invite, share } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('libraries.shares.list', () => {
  const gateway = startTestGateway()
  const pathOf = ({ id }: { id: string }) => `/v1/libraries/${id}/shares`

  it('lists the shares newest first, ended ones included', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const first = await invite(alice, library, { targetUserId: 'acct_somebody' }, 'editor')
    await alice.delete(`${pathOf(library)}/${first.id}`)
    const second = await invite(alice, library, { email: 'somebody@example.test' })
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

  it('forbids it to an admin', async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(alice)
    await share(alice, library, bob, 'admin')
    const response = await bob.get(pathOf(library))
    expect(response.status).toBe(403)
    expect(response.body).toEqual({ error: 'forbidden' })
  })

  it('is not there for somebody who is only invited', async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(alice)
    await invite(alice, library, { targetUserId: bob.accountId }, 'admin')
    const response = await bob.get(pathOf(library))
    expect(response.status).toBe(404)
    expect(response.body).toEqual({ error: 'library_not_found' })
  })
})
