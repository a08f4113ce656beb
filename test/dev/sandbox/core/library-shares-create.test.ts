import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshEmail, ownLibrary, subscribe } from './library-sharing.ts'
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

describe('libraries.shares.create', () => {
  it('invites an account by id', async () => {
    const { owner, libraryId, shares } = await ownLibrary(core)
    const { status, body } = await owner.post(shares, { targetUserId: 'acct_new', accessType: 'editor' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      libraryId,
      targetUserId: 'acct_new',
      email: null,
      accessType: 'editor',
      inviteStatus: 'pending',
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
      respondedAt: null,
      revokedAt: null,
    })
    expect((await owner.get(shares)).body).toEqual({ records: [body] })
  })

  it('invites by e-mail address, in lower case', async () => {
    const { owner, shares } = await ownLibrary(core)
    const { body } = await owner.post(shares, { email: 'Carol@Example.TEST', accessType: 'viewer' })
    expect(body).toMatchObject({ targetUserId: null, email: 'carol@example.test' })
  })

  it.each([
    [{ accessType: 'viewer' }, 'targetUserId'],
    [{ targetUserId: 'a', email: 'a@example.test', accessType: 'viewer' }, 'targetUserId'],
    [{ targetUserId: 'a' }, 'accessType'],
    [{ targetUserId: 'a', accessType: 'revoked' }, 'accessType'],
    [{ targetUserId: ' ', accessType: 'viewer' }, 'targetUserId'],
    [{ targetUserId: 'x'.repeat(129), accessType: 'viewer' }, 'targetUserId'],
    [{ email: 'not-an-address', accessType: 'viewer' }, 'email'],
  ])('rejects the body %j', async (body, path) => {
    const { owner, shares } = await ownLibrary(core)
    expect(invalidPaths(await owner.post(shares, body))).toEqual([path])
  })

  it('rejects an invitation for the owner', async () => {
    const { owner, shares } = await ownLibrary(core)
    const byId = { targetUserId: owner.accountId, accessType: 'viewer' }
    expect(invalidPaths(await owner.post(shares, byId))).toEqual(['targetUserId'])
    const [{ email }] = [{ email: freshEmail() }]
    const other = await core.signIn(email)
    await subscribe(core, other, 'pro')
    const { body } = await other.post('/v1/libraries', { name: 'a' })
    const byEmail = { email: email.toUpperCase(), accessType: 'viewer' }
    expect(invalidPaths(await other.post(`/v1/libraries/${body.id}/shares`, byEmail))).toEqual(['email'])
  })

  it('invites an account again after it declined or its share was revoked', async () => {
    const { owner, shares } = await ownLibrary(core)
    const carol = await core.signIn()
    const invite = () => owner.post(shares, { targetUserId: carol.accountId, accessType: 'viewer' })
    const first = await invite()
    await carol.patch(`${shares}/${first.body.id}`, { inviteStatus: 'declined' })
    const second = await invite()
    await owner.delete(`${shares}/${second.body.id}`)
    expect([first.status, second.status, (await invite()).status]).toEqual([201, 201, 201])
  })

  it.each([
    ['free', 'active', 'free'],
    ['pro', 'unpaid', 'pro'],
  ])(
    'returns entitlement_required on the plan %s (%s) before it validates the body',
    async (planId, status) => {
      const owner = await core.signIn()
      await subscribe(core, owner, planId, status)
      const { body: library } = await owner.post('/v1/libraries', { name: 'a' })
      const response = await owner.post(`/v1/libraries/${library.id}/shares`, {})
      expect([response.status, response.body]).toEqual([
        403,
        {
          error: 'entitlement_required',
          code: 'entitlement_required',
          feature: 'collaborators.invite',
          current: null,
          limit: null,
          planId,
          status,
          upgradeRequired: true,
        },
      ])
    },
  )

  it('counts pending and accepted shares towards the plan limit, even for concurrent requests', async () => {
    const { owner, shares } = await ownLibrary(core, 'starter')
    const invite = () => owner.post(shares, { email: freshEmail(), accessType: 'viewer' })
    const responses = await Promise.all([invite(), invite(), invite(), invite()])
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403])
    expect(responses.find(({ status }) => status === 403)!.body).toMatchObject({ current: 2, limit: 2 })
    await owner.delete(`${shares}/${responses.find(({ status }) => status === 201)!.body.id}`)
    expect((await invite()).status).toBe(201)
  })
})
