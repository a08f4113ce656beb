import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, invalidPaths, makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore({
    plans: [
      { id: 'free', entitlements: {} },
      { id: 'starter', entitlements: { 'tracks.share': 2 } },
      { id: 'pro', entitlements: { 'tracks.share': true } },
    ],
  })
})
afterAll(() => core.close())

const subscribe = ({ accountId }: Caller, planId: string, status = 'active') => core.sql`
  insert into subscriptions (account_id, plan_id, status) values (${accountId}, ${planId}, ${status})
  on conflict (account_id) do update set plan_id = ${planId}, status = ${status}`

const createSharer = async (planId = 'pro') => {
  const alice = await core.signIn()
  await subscribe(alice, planId)
  const trackId = await makeTrack(alice)
  return { alice, trackId, links: `/v1/tracks/${trackId}/share-links` }
}

const open = (token: string) => core.send(`/v1/public/track-links/${token}`, {})

const entitlementError = (fields: object) => ({
  error: 'entitlement_required',
  code: 'entitlement_required',
  feature: 'tracks.share',
  current: null,
  limit: null,
  upgradeRequired: true,
  ...fields,
})

describe('tracks.share-links.create', () => {
  it('returns the token only once, and stores its hash', async () => {
    const { alice, trackId, links } = await createSharer()
    const { status, body } = await alice.post(links, {
      name: ' Press ',
      expiresAt: '2999-01-01T02:00:00+02:00',
    })
    expect(status).toBe(201)
    const { token, sharePath, ...link } = body
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(sharePath).toBe(`/share/tracks/${token}`)
    expect(link).toEqual({
      id: expect.any(String),
      trackId,
      name: 'Press',
      status: 'active',
      tokenPreview: token.slice(-4),
      expiresAt: '2999-01-01T00:00:00.000Z',
      revokedAt: null,
      createdAt: expect.stringMatching(timestamp),
      updatedAt: expect.stringMatching(timestamp),
    })
    expect((await alice.get(links)).body).toEqual({ records: [link] })
    const [row] = await core.sql`select token_hash from track_share_links where id = ${link.id}`
    expect(row).toEqual({ token_hash: createHash('sha256').update(token).digest('hex') })
  })

  it('accepts a request without a body', async () => {
    const { alice, links } = await createSharer()
    expect((await alice.post(links)).body).toMatchObject({ name: null, expiresAt: null })
  })

  it.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(121) }, 'name'],
    [{ expiresAt: '2999-01-01T00:00:00' }, 'expiresAt'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  ])('rejects the body %j', async (body, path) => {
    const { alice, links } = await createSharer()
    expect(invalidPaths(await alice.post(links, body))).toEqual([path])
    expect((await alice.get(links)).body).toEqual({ records: [] })
  })

  it.each([
    ['free', 'active'],
    ['pro', 'unpaid'],
  ])(
    'returns entitlement_required on the plan %s (%s) before it validates the body',
    async (planId, status) => {
      const { alice, links } = await createSharer()
      await subscribe(alice, planId, status)
      const response = await alice.post(links, { name: '' })
      expect([response.status, response.body]).toEqual([403, entitlementError({ planId, status })])
    },
  )

  it('limits active links to the plan limit, even for concurrent requests', async () => {
    const { alice, links } = await createSharer('starter')
    const { body: first } = await alice.post(links)
    const second = await Promise.all([alice.post(links), alice.post(links)])
    expect(second.map(({ status }) => status).sort()).toEqual([201, 403])
    expect(second.find(({ status }) => status === 403)!.body).toEqual(
      entitlementError({ current: 2, limit: 2, planId: 'starter', status: 'active' }),
    )
    await core.sql`update track_share_links set expires_at = now() - interval '1 second' where id = ${first.id}`
    expect((await alice.post(links)).status).toBe(201)
  })
})

describe('tracks.share-links.list', () => {
  it('lists links newest first, including revoked and expired ones, without tokens', async () => {
    const { alice, links } = await createSharer()
    const made = []
    for (let count = 0; count < 3; count++) made.push((await alice.post(links)).body)
    await alice.delete(`${links}/${made[0].id}`)
    await core.sql`update track_share_links set expires_at = now() where id = ${made[1].id}`
    const { body } = await alice.get(links)
    expect(body.records.map((link: { id: string; status: string }) => [link.id, link.status])).toEqual([
      [made[2].id, 'active'],
      [made[1].id, 'expired'],
      [made[0].id, 'revoked'],
    ])
    expect(body.records[2].revokedAt).toMatch(timestamp)
    for (const { token } of made) expect(JSON.stringify(body)).not.toContain(token)
  })
})

describe('tracks.share-links.reset', () => {
  it('replaces the token and keeps the other fields', async () => {
    const { alice, links } = await createSharer()
    const { body: made } = await alice.post(links, { name: 'Press', expiresAt: '2999-01-01T00:00:00Z' })
    const { status, body } = await alice.post(`${links}/${made.id}/reset`)
    expect(status).toBe(200)
    expect(body).toEqual({
      ...made,
      token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      sharePath: `/share/tracks/${body.token}`,
      tokenPreview: body.token.slice(-4),
      updatedAt: expect.stringMatching(timestamp),
    })
    expect(body.token).not.toBe(made.token)
    expect((await open(made.token)).status).toBe(404)
    expect((await open(body.token)).status).toBe(200)
  })

  it('is allowed at the plan limit, but not without the feature', async () => {
    const { alice, links } = await createSharer('starter')
    const { body: made } = await alice.post(links)
    await alice.post(links)
    expect((await alice.post(`${links}/${made.id}/reset`)).status).toBe(200)
    await subscribe(alice, 'free')
    const { status, body } = await alice.post(`${links}/${made.id}/reset`)
    expect([status, body]).toEqual([403, entitlementError({ planId: 'free', status: 'active' })])
  })

  it('returns share_link_not_active for a revoked or expired link', async () => {
    const { alice, links } = await createSharer()
    const [one, other] = [(await alice.post(links)).body, (await alice.post(links)).body]
    await alice.delete(`${links}/${one.id}`)
    await core.sql`update track_share_links set expires_at = now() where id = ${other.id}`
    for (const { id } of [one, other]) {
      const { status, body } = await alice.post(`${links}/${id}/reset`)
      expect([status, body]).toEqual([409, { error: 'share_link_not_active' }])
    }
  })
})

describe('tracks.share-links.revoke', () => {
  it('revokes the link immediately and returns 204 for a repeated request', async () => {
    const { alice, links } = await createSharer()
    const { body } = await alice.post(links)
    expect((await open(body.token)).status).toBe(200)
    expect((await alice.delete(`${links}/${body.id}`)).status).toBe(204)
    expect((await open(body.token)).status).toBe(404)
    const first = (await alice.get(links)).body
    expect((await alice.delete(`${links}/${body.id}`)).status).toBe(204)
    expect((await alice.get(links)).body).toEqual(first)
  })

  it('needs no entitlement', async () => {
    const { alice, links } = await createSharer()
    const { body } = await alice.post(links)
    await subscribe(alice, 'free')
    expect((await alice.delete(`${links}/${body.id}`)).status).toBe(204)
  })

  it('returns 404 for a link of another track', async () => {
    const [one, other] = [await createSharer(), await createSharer()]
    const { body: link } = await other.alice.post(other.links)
    for (const response of [
      await one.alice.delete(`${one.links}/${link.id}`),
      await one.alice.post(`${one.links}/${link.id}/reset`),
      await one.alice.delete(`${one.links}/not%20an%20id`),
    ])
      expect([response.status, response.body]).toEqual([404, { error: 'share_link_not_found' }])
  })
})
