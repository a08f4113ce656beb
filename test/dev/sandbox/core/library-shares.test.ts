import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshEmail, outcome, ownLibrary, shareWith } from './library-sharing.ts'
import { invalidPaths, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore({
    plans: [
      { id: 'free', entitlements: {} },
      { id: 'starter', entitlements: { 'collaborators.invite': 2 } },
      { id: 'pro', entitlements: { 'collaborators.invite': true } },
    ],
  })
})
afterAll(() => core.close())

describe('libraries.shares.update', () => {
  it('lets the invitee accept, and the owner change the grade', async () => {
    const { owner, shares } = await ownLibrary(core)
    const carol = await core.signIn()
    const { body } = await owner.post(shares, { targetUserId: carol.accountId, accessType: 'viewer' })
    const share = `${shares}/${body.id}`
    expect((await owner.patch(share, { accessType: 'editor' })).body.accessType).toBe('editor')
    const accepted = await carol.patch(share, { inviteStatus: 'accepted' })
    expect(accepted.status).toBe(200)
    expect(accepted.body).toMatchObject({
      accessType: 'editor',
      inviteStatus: 'accepted',
      respondedAt: expect.stringMatching(timestamp),
    })
    expect((await carol.patch(share, { inviteStatus: 'accepted' })).body).toEqual(accepted.body)
    expect((await owner.patch(share, { accessType: 'admin' })).body.accessType).toBe('admin')
  })

  it('lets the account with the invited, verified address accept, and stores its id', async () => {
    const { owner, libraryId, shares } = await ownLibrary(core)
    const email = freshEmail()
    const [carol, unverified, other] = [
      await core.signIn(email),
      await core.signIn(email, false),
      await core.signIn(email),
    ]
    const share = `${shares}/${(await owner.post(shares, { email, accessType: 'viewer' })).body.id}`
    expect(outcome(await unverified.patch(share, { inviteStatus: 'accepted' }))).toEqual([
      404,
      'library_not_found',
    ])
    const { body } = await carol.patch(share, { inviteStatus: 'accepted' })
    expect(body).toMatchObject({ targetUserId: carol.accountId, email, inviteStatus: 'accepted' })
    expect((await carol.get(`/v1/libraries/${libraryId}`)).status).toBe(200)
    expect(outcome(await other.patch(share, { inviteStatus: 'declined' }))).toEqual([
      404,
      'library_not_found',
    ])
  })

  it('returns 409 if an account that already has a share accepts another by e-mail', async () => {
    const { owner, libraryId, shares } = await ownLibrary(core)
    const email = freshEmail()
    const carol = await core.signIn(email)
    await shareWith(owner, carol, libraryId, 'viewer')
    const { body } = await owner.post(shares, { email, accessType: 'admin' })
    const response = await carol.patch(`${shares}/${body.id}`, { inviteStatus: 'accepted' })
    expect(outcome(response)).toEqual([409, 'library_share_conflict'])
  })

  it('lets the invitee leave, after which the share can no longer change', async () => {
    const { owner, libraryId } = await ownLibrary(core)
    const carol = await core.signIn()
    const share = await shareWith(owner, carol, libraryId, 'viewer')
    expect((await carol.patch(share, { inviteStatus: 'declined' })).body.inviteStatus).toBe('declined')
    expect((await carol.get(`/v1/libraries/${libraryId}`)).status).toBe(404)
    expect(outcome(await carol.patch(share, { inviteStatus: 'accepted' }))).toEqual([
      409,
      'library_share_not_active',
    ])
    expect(outcome(await owner.patch(share, { accessType: 'editor' }))).toEqual([
      409,
      'library_share_not_active',
    ])
  })

  it('returns 403 if the owner sets the invite status or a member sets the grade', async () => {
    const { owner, libraryId } = await ownLibrary(core)
    const [carol, dave] = [await core.signIn(), await core.signIn()]
    const share = await shareWith(owner, carol, libraryId, 'admin')
    await shareWith(owner, dave, libraryId, 'admin')
    expect(outcome(await owner.patch(share, { inviteStatus: 'declined' }))).toEqual([403, 'forbidden'])
    expect(outcome(await carol.patch(share, { accessType: 'editor' }))).toEqual([403, 'forbidden'])
    expect(outcome(await dave.patch(share, { inviteStatus: 'declined' }))).toEqual([403, 'forbidden'])
  })

  it.each([
    [{}, ''],
    [{ accessType: 'revoked' }, 'accessType'],
    [{ inviteStatus: 'pending' }, 'inviteStatus'],
  ])('rejects the body %j', async (body, path) => {
    const { owner, libraryId } = await ownLibrary(core)
    const share = await shareWith(owner, await core.signIn(), libraryId, 'viewer')
    expect(invalidPaths(await owner.patch(share, body))).toEqual([path])
  })

  it('returns 404 for a share of another library', async () => {
    const [one, other] = [await ownLibrary(core), await ownLibrary(core)]
    const { body } = await other.owner.post(other.shares, { targetUserId: 'a', accessType: 'viewer' })
    const responses = [
      await one.owner.patch(`${one.shares}/${body.id}`, { accessType: 'editor' }),
      await one.owner.delete(`${one.shares}/${body.id}`),
    ]
    expect(responses.map(outcome)).toEqual(Array(2).fill([404, 'library_share_not_found']))
  })
})

describe('libraries.shares.revoke', () => {
  it('ends access immediately, keeps the share in the list, and is idempotent', async () => {
    const { owner, libraryId, shares } = await ownLibrary(core)
    const carol = await core.signIn()
    const share = await shareWith(owner, carol, libraryId, 'viewer')
    expect((await owner.delete(share)).status).toBe(204)
    const listed = (await owner.get(shares)).body.records
    expect(listed).toMatchObject([
      { accessType: 'revoked', inviteStatus: 'revoked', revokedAt: expect.stringMatching(timestamp) },
    ])
    expect((await owner.delete(share)).status).toBe(204)
    expect((await owner.get(shares)).body.records).toEqual(listed)
    expect((await carol.get(`/v1/libraries/${libraryId}`)).status).toBe(404)
  })
})

describe('libraries.shared-with-me', () => {
  it('lists accepted shares, and invitations with inviteStatus=pending', async () => {
    const { owner, libraryId, shares } = await ownLibrary(core)
    const email = freshEmail()
    const carol = await core.signIn(email)
    const { body: share } = await owner.post(shares, { email, accessType: 'editor' })
    const pending = '/v1/libraries/shared-with-me?inviteStatus=pending'

    expect((await carol.get('/v1/libraries/shared-with-me')).body).toEqual({ records: [] })
    const invited = (await carol.get(pending)).body.records
    expect(invited).toEqual([
      {
        id: libraryId,
        name: 'Pitches',
        description: null,
        createdAt: expect.stringMatching(timestamp),
        updatedAt: expect.stringMatching(timestamp),
        shareId: share.id,
        accessType: 'editor',
      },
    ])
    await carol.patch(`${shares}/${share.id}`, { inviteStatus: 'accepted' })
    expect((await carol.get('/v1/libraries/shared-with-me')).body.records).toEqual(invited)
    expect((await carol.get(pending)).body).toEqual({ records: [] })
  })

  it('lists no invitations for an unverified address', async () => {
    const { owner, shares } = await ownLibrary(core)
    const email = freshEmail()
    await owner.post(shares, { email, accessType: 'viewer' })
    const unverified = await core.signIn(email, false)
    const { body } = await unverified.get('/v1/libraries/shared-with-me?inviteStatus=pending')
    expect(body).toEqual({ records: [] })
  })

  it('returns 400 for an unknown inviteStatus', async () => {
    const carol = await core.signIn()
    const response = await carol.get('/v1/libraries/shared-with-me?inviteStatus=declined')
    expect(invalidPaths(response)).toEqual(['inviteStatus'])
  })
})
