import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTrack, type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore({
    BILLING_PLANS: JSON.stringify([
      { id: 'free', entitlements: {} },
      { id: 'starter', entitlements: { 'collaborators.invite': 2, 'tracks.share': 2 } },
    ]),
  })
})
afterAll(() => core.close())

const createSubscriber = async () => {
  const owner = await core.signIn()
  await core.sql`
    insert into subscriptions (account_id, plan_id, status) values (${owner.accountId}, 'starter', 'active')`
  return owner
}

describe("a plan's limit under concurrent requests", () => {
  it('counts pending shares of a library until they are removed', async () => {
    const owner = await createSubscriber()
    const { body: library } = await owner.post('/v1/libraries', { name: 'Pitches' })
    const shares = `/v1/libraries/${library.id}/shares`
    const invite = () => owner.post(shares, { email: `${randomUUID()}@example.test`, accessType: 'viewer' })
    const responses = await Promise.all([invite(), invite(), invite(), invite()])
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403])
    expect(responses.find(({ status }) => status === 403)!.body).toMatchObject({ current: 2, limit: 2 })
    await owner.delete(`${shares}/${responses.find(({ status }) => status === 201)!.body.id}`)
    expect((await invite()).status).toBe(201)
  })

  it('counts links to tracks until they expire', async () => {
    const owner = await createSubscriber()
    const links = `/v1/tracks/${await makeTrack(owner)}/share-links`
    const { body: first } = await owner.post(links)
    const second = await Promise.all([owner.post(links), owner.post(links)])
    expect(second.map(({ status }) => status).sort()).toEqual([201, 403])
    expect(second.find(({ status }) => status === 403)!.body).toEqual({
      error: 'entitlement_required',
      code: 'entitlement_required',
      feature: 'tracks.share',
      current: 2,
      limit: 2,
      planId: 'starter',
      status: 'active',
      upgradeRequired: true,
    })
    await core.sql`update track_share_links set expires_at = now() - interval '1 second' where id = ${first.id}`
    expect((await owner.post(links)).status).toBe(201)
  })
})
