import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { createLibrary, inviteToLibrary, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const accept = { inviteStatus: 'accepted' }
const decline = { inviteStatus: 'declined' }

interface CreatedShare {
  readonly id: string
  readonly libraryId: string
}

const pathOf = ({ id, libraryId }: CreatedShare) => `/v1/libraries/${libraryId}/shares/${id}`

describe('libraries.shares.update', () => {
  const gateway = startTestGateway()
  const start = async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    return { alice, bob, library: await createLibrary(alice) }
  }
  const startInvited = async () => {
    const { alice, bob, library } = await start()
    return {
      alice,
      bob,
      library,
      invited: await inviteToLibrary(alice, library, { targetUserId: bob.accountId }),
    }
  }

  describe('by the invitee', () => {
    it.each(['accepted', 'declined'])('changes the status of an invitation to %s', async (inviteStatus) => {
      const { bob, invited } = await startInvited()
      const response = await bob.patch(pathOf(invited), { inviteStatus })
      expect(response.status).toBe(200)
      expect(response.body).toEqual({
        ...invited,
        inviteStatus,
        respondedAt: expect.stringMatching(/Z$/),
        updatedAt: response.body.respondedAt,
      })
    })

    it('accepts an e-mail invitation, which adds the account id to the share', async () => {
      const { alice, bob, library } = await start()
      const invited = await inviteToLibrary(alice, library, { email: bob.email })
      const response = await bob.patch(pathOf(invited), accept)
      expect(response.status).toBe(200)
      expect(response.body).toMatchObject({ targetUserId: bob.accountId, email: bob.email, ...accept })
      expect((await bob.get(`/v1/libraries/${library.id}`)).status).toBe(200)
    })

    it('lets a guest leave a library by declining an accepted share', async () => {
      const { alice, bob, library } = await start()
      const accepted = await shareLibrary(alice, library, bob)
      const response = await bob.patch(pathOf(accepted), decline)
      expect(response.status).toBe(200)
      expect(response.body).toMatchObject(decline)
      expect((await bob.get(`/v1/libraries/${library.id}`)).status).toBe(404)
    })

    it('changes nothing when an accepted share is accepted again', async () => {
      const { alice, bob, library } = await start()
      const accepted = await shareLibrary(alice, library, bob)
      const response = await bob.patch(pathOf(accepted), accept)
      expect(response.status).toBe(200)
      expect(response.body).toEqual(accepted)
    })

    it.each([
      ['access', { accessType: 'admin' }],
      ['access while responding', { accessType: 'admin', ...accept }],
    ])('returns 403 for changing their own %s', async (_, change) => {
      const { alice, bob, library, invited } = await startInvited()
      const response = await bob.patch(pathOf(invited), change)
      expect(response.status).toBe(403)
      expect(response.body).toEqual(errorBody('forbidden'))
      const { body } = await alice.get(`/v1/libraries/${library.id}/shares`)
      expect(body.records).toEqual([invited])
    })

    it('returns 409 for a change to a declined share', async () => {
      const { bob, invited } = await startInvited()
      await bob.patch(pathOf(invited), decline)
      for (const change of [accept, decline]) {
        const response = await bob.patch(pathOf(invited), change)
        expect(response.status).toBe(409)
        expect(response.body).toEqual(errorBody('library_share_not_active'))
      }
    })

    it('returns 409 for accepting a revoked share', async () => {
      const { alice, bob, invited } = await startInvited()
      await alice.delete(pathOf(invited))
      const response = await bob.patch(pathOf(invited), accept)
      expect(response.status).toBe(409)
      expect(response.body).toEqual(errorBody('library_share_not_active'))
    })

    it('returns 409 for accepting an e-mail invitation to a library that is already shared with the account', async () => {
      const { alice, bob, library } = await start()
      await shareLibrary(alice, library, bob)
      const second = await inviteToLibrary(alice, library, { email: bob.email }, 'admin')
      const response = await bob.patch(pathOf(second), accept)
      expect(response.status).toBe(409)
      expect(response.body).toEqual(errorBody('library_share_conflict'))
      expect((await bob.get('/v1/libraries/shared-with-me')).body.records).toMatchObject([
        { accessType: 'viewer' },
      ])
      expect((await bob.patch(pathOf(second), decline)).status).toBe(200)
    })

    it('accepts an e-mail invitation only if the account is not invited by id at the same time', async () => {
      const { alice, bob, library } = await start()
      const byEmail = await inviteToLibrary(alice, library, { email: bob.email })
      const [accepted, invited] = await Promise.all([
        bob.patch(pathOf(byEmail), accept),
        alice.post(`/v1/libraries/${library.id}/shares`, {
          targetUserId: bob.accountId,
          accessType: 'admin',
        }),
      ])
      expect([accepted.status, invited.status]).toSatisfy(
        ([acceptance, invitation]) =>
          (acceptance === 200 && invitation === 409) || (acceptance === 409 && invitation === 201),
      )
    })
  })

  describe('by the owner', () => {
    it('changes the access of pending and accepted shares', async () => {
      const { alice, bob, library, invited } = await startInvited()
      const pending = await alice.patch(pathOf(invited), { accessType: 'editor' })
      expect(pending.status).toBe(200)
      expect(pending.body).toEqual({ ...invited, accessType: 'editor', updatedAt: expect.any(String) })
      await bob.patch(pathOf(invited), accept)
      expect((await alice.patch(pathOf(invited), { accessType: 'admin' })).body).toMatchObject({
        accessType: 'admin',
        inviteStatus: 'accepted',
      })
      expect((await bob.patch(`/v1/libraries/${library.id}`, { name: 'By Bob' })).status).toBe(200)
    })

    it('changes only updatedAt if the access stays the same, as in the core', async () => {
      const { alice, invited } = await startInvited()
      const { body } = await alice.patch(pathOf(invited), { accessType: invited.accessType })
      expect(body).toEqual({ ...invited, updatedAt: expect.any(String) })
      expect(body.updatedAt > invited.updatedAt).toBe(true)
    })

    it.each([
      ['accept', accept],
      ['decline', decline],
      ['accept while changing the access', { ...accept, accessType: 'admin' }],
    ])('returns 403 for an attempt to %s on the invitee’s behalf', async (_, change) => {
      const { alice, library, invited } = await startInvited()
      const response = await alice.patch(pathOf(invited), change)
      expect(response.status).toBe(403)
      expect(response.body).toEqual(errorBody('forbidden'))
      const { body } = await alice.get(`/v1/libraries/${library.id}/shares`)
      expect(body.records).toEqual([invited])
    })

    it('returns 409 for a change to a declined or revoked share', async () => {
      const { alice, bob, library, invited: declined } = await startInvited()
      await bob.patch(pathOf(declined), decline)
      const revoked = await inviteToLibrary(alice, library, { email: 'guest@example.test' })
      await alice.delete(pathOf(revoked))
      for (const ended of [declined, revoked]) {
        const response = await alice.patch(pathOf(ended), { accessType: 'admin' })
        expect(response.status).toBe(409)
        expect(response.body).toEqual(errorBody('library_share_not_active'))
      }
    })

    it("returns 404 for an unknown share and for another library's share", async () => {
      const { alice, invited } = await startInvited()
      const another = await createLibrary(alice, 'Another')
      for (const id of [invited.id, crypto.randomUUID(), 'no%20id']) {
        const response = await alice.patch(pathOf({ id, libraryId: another.id }), { accessType: 'admin' })
        expect(response.status).toBe(404)
        expect(response.body).toEqual(errorBody('library_share_not_found'))
      }
    })
  })

  it.each([
    ['an empty body', {}, ''],
    ['the accessType revoked', { accessType: 'revoked' }, 'accessType'],
    ['the inviteStatus pending', { inviteStatus: 'pending' }, 'inviteStatus'],
    ['the inviteStatus revoked', { inviteStatus: 'revoked' }, 'inviteStatus'],
  ])('returns 400 for %s', async (_, change, path) => {
    const { alice, bob, invited } = await startInvited()
    for (const account of [alice, bob]) {
      const response = await account.patch(pathOf(invited), change)
      expect(response.status).toBe(400)
      expect(response.body).toEqual(
        errorBody('validation_error', { issues: [{ path, message: expect.any(String) }] }),
      )
    }
  })

  it('looks up the share before it validates the body', async () => {
    const { alice, library } = await startInvited()
    const response = await alice.patch(pathOf({ id: 'unknown', libraryId: library.id }), {})
    expect(response.status).toBe(404)
    expect(response.body).toEqual(errorBody('library_share_not_found'))
  })

  it("returns 403 for another guest's share", async () => {
    const { alice, bob, library, invited } = await startInvited()
    const carol = await gateway.signUp()
    await shareLibrary(alice, library, carol, 'admin')
    for (const id of [invited.id, 'unknown']) {
      const response = await carol.patch(pathOf({ id, libraryId: library.id }), accept)
      expect(response.status).toBe(403)
      expect(response.body).toEqual(errorBody('forbidden'))
    }
    expect((await bob.patch(pathOf(invited), accept)).status).toBe(200)
  })

  it('returns 404 to an account whose address is not verified', async () => {
    const { alice, bob, library } = await start()
    const mallory = await gateway.signUp({ email: bob.email, emailVerified: false })
    const invited = await inviteToLibrary(alice, library, { email: bob.email })
    const response = await mallory.patch(pathOf(invited), accept)
    expect(response.status).toBe(404)
    expect(response.body).toEqual(errorBody('library_not_found'))
  })

  it('returns 404 for an invitation that another account with the same address has accepted', async () => {
    const { alice, bob, library } = await start()
    const later = await gateway.signUp({ email: bob.email })
    const invited = await inviteToLibrary(alice, library, { email: bob.email })
    await bob.patch(pathOf(invited), accept)
    const response = await later.patch(pathOf(invited), decline)
    expect(response.status).toBe(404)
    expect(response.body).toEqual(errorBody('library_not_found'))
  })

  it('leaves the share revoked if a response and a revocation are concurrent', async () => {
    const { alice, bob, library, invited } = await startInvited()
    const [responded, revoked] = await Promise.all([
      bob.patch(pathOf(invited), accept),
      alice.delete(pathOf(invited)),
    ])
    expect([200, 409]).toContain(responded.status)
    expect(revoked.status).toBe(204)
    const { body } = await alice.get(`/v1/libraries/${library.id}/shares`)
    expect(body.records).toMatchObject([{ accessType: 'revoked', inviteStatus: 'revoked' }])
    expect((await bob.get(`/v1/libraries/${library.id}`)).status).toBe(404)
  })
})
