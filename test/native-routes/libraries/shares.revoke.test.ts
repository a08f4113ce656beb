import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { createLibrary, inviteToLibrary, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('libraries.shares.revoke', () => {
  const gateway = startTestGateway()
  const pathOf = (library: { id: string }, id: string) => `/v1/libraries/${library.id}/shares/${id}`
  const start = async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    return { alice, bob, library: await createLibrary(alice) }
  }

  it("removes the guest's access immediately, and keeps the share in the list", async () => {
    const { alice, bob, library } = await start()
    const accepted = await shareLibrary(alice, library, bob, 'admin')
    const response = await alice.delete(pathOf(library, accepted.id))
    expect(response.status).toBe(204)
    expect(response.body).toBe('')
    expect((await bob.get(`/v1/libraries/${library.id}`)).status).toBe(404)
    const { body } = await alice.get(`/v1/libraries/${library.id}/shares`)
    expect(body.records).toEqual([
      {
        ...accepted,
        accessType: 'revoked',
        inviteStatus: 'revoked',
        revokedAt: expect.stringMatching(/Z$/),
        updatedAt: expect.any(String),
      },
    ])
  })

  it('revokes a share that was declined', async () => {
    const { alice, bob, library } = await start()
    const { id } = await inviteToLibrary(alice, library, { targetUserId: bob.accountId })
    await bob.patch(pathOf(library, id), { inviteStatus: 'declined' })
    expect((await alice.delete(pathOf(library, id))).status).toBe(204)
    const { body } = await alice.get(`/v1/libraries/${library.id}/shares`)
    expect(body.records).toMatchObject([{ inviteStatus: 'revoked' }])
  })

  it('returns 204 for an already revoked share without changing it', async () => {
    const { alice, bob, library } = await start()
    const { id } = await shareLibrary(alice, library, bob)
    await alice.delete(pathOf(library, id))
    const before = await alice.get(`/v1/libraries/${library.id}/shares`)
    expect((await alice.delete(pathOf(library, id))).status).toBe(204)
    expect((await alice.get(`/v1/libraries/${library.id}/shares`)).body).toEqual(before.body)
  })

  it("returns 404 for an unknown share and for another library's share", async () => {
    const { alice, library } = await start()
    const another = await createLibrary(alice, 'Another')
    const { id } = await inviteToLibrary(alice, another, { email: 'guest@example.test' })
    for (const unknown of [id, crypto.randomUUID(), 'no%20id']) {
      const response = await alice.delete(pathOf(library, unknown))
      expect(response.status).toBe(404)
      expect(response.body).toEqual(errorBody('library_share_not_found'))
    }
  })

  it('returns 403 to a guest, even for their own share', async () => {
    const { alice, bob, library } = await start()
    const { id } = await shareLibrary(alice, library, bob, 'admin')
    const response = await bob.delete(pathOf(library, id))
    expect(response.status).toBe(403)
    expect(response.body).toEqual(errorBody('forbidden'))
  })
})
