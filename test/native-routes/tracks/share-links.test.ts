import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'

const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

describe('tracks.share-links.create, tracks.share-links.reset and tracks.share-links.revoke', () => {
  const gateway = startTestGateway()
  const start = async (plan: 'free' | 'starter' | 'pro' = 'pro') => {
    const alice = await gateway.signUp({ plan })
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    return { alice, trackId, path: `/v1/tracks/${trackId}/share-links` }
  }
  const create = async (alice: TestAccount, path: string, body: object = {}) => {
    const response = await alice.post(path, body)
    expect(response.status).toBe(201)
    return response.body
  }
  const expire = (id: string) =>
    gateway.database
      .sql`update track_share_links set expires_at = now() - interval '1 second' where id = ${id}`
  const readTokenHash = async (id: string) =>
    (await gateway.database.sql`select token_hash from track_share_links where id = ${id}`)[0]?.token_hash

  it('return the token on creation, but not in the list', async () => {
    const { alice, trackId, path } = await start()
    const expiresAt = secondsFromNow(3600)
    const response = await alice.post(path, { name: ' For Sam ', expiresAt })
    expect(response.status).toBe(201)
    expect(response.headers.get('x-service-core-runtime')).toBe('native')
    const { token, sharePath, ...link } = response.body
    expect(link).toEqual({
      id: expect.any(String),
      trackId,
      name: 'For Sam',
      status: 'active',
      tokenPreview: token.slice(-4),
      expiresAt,
      revokedAt: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: link.createdAt,
    })
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    expect(sharePath).toBe(`/share/tracks/${token}`)
    expect((await alice.get(path)).body).toEqual({ records: [link] })
    expect(await readTokenHash(link.id)).toBe(createHash('sha256').update(token).digest('hex'))
  })

  it('create a link for a request without a body', async () => {
    const { alice, path } = await start()
    const response = await alice.post(path)
    expect(response.status).toBe(201)
    expect(response.body).toMatchObject({ name: null, expiresAt: null, status: 'active' })
  })

  it.each([
    ['an expiry in the past', { expiresAt: secondsFromNow(-1) }, 'expiresAt'],
    ['an expiry without an offset', { expiresAt: '2099-01-01T00:00:00' }, 'expiresAt'],
    ['an empty name', { name: '  ' }, 'name'],
    ['a name of 121 characters', { name: 'n'.repeat(121) }, 'name'],
  ])('return 400 for %s', async (_, body, at) => {
    const { alice, path } = await start()
    const response = await alice.post(path, body)
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ error: 'validation_error', issues: [{ path: at }] })
    expect((await alice.get(path)).body.records).toEqual([])
  })

  it('make links that tracks.share-links.list returns with their statuses, newest first', async () => {
    const { alice, path } = await start()
    const [first, second, third] = [
      await create(alice, path, { name: 'first' }),
      await create(alice, path, { name: 'second' }),
      await create(alice, path, { name: 'third' }),
    ]
    await expire(first.id)
    await alice.delete(`${path}/${second.id}`)
    const { records } = (await alice.get(path)).body
    expect(records.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [third.id, 'active'],
      [second.id, 'revoked'],
      [first.id, 'expired'],
    ])
  })

  it('replace only the token on reset', async () => {
    const { alice, path } = await start()
    const { token, sharePath: _, ...link } = await create(alice, path, { name: 'Same' })
    const response = await alice.post(`${path}/${link.id}/reset`)
    expect(response.status).toBe(200)
    expect(response.body.token).not.toBe(token)
    expect(response.body).toEqual({
      ...link,
      token: response.body.token,
      tokenPreview: response.body.token.slice(-4),
      sharePath: `/share/tracks/${response.body.token}`,
      updatedAt: expect.any(String),
    })
    for (const [opened, status] of [
      [token, 404],
      [response.body.token, 200],
    ])
      expect((await gateway.request('GET', `/v1/public/track-links/${opened}`)).status).toBe(status)
  })

  it('return 409 for resetting a revoked or expired link', async () => {
    const { alice, path } = await start()
    const [revoked, expired] = [await create(alice, path), await create(alice, path)]
    await alice.delete(`${path}/${revoked.id}`)
    await expire(expired.id)
    for (const { id } of [revoked, expired]) {
      const before = await readTokenHash(id)
      const response = await alice.post(`${path}/${id}/reset`)
      expect(response.status).toBe(409)
      expect(response.body).toEqual(errorBody('share_link_not_active'))
      expect(await readTokenHash(id)).toBe(before)
    }
  })

  it('leave exactly one valid token after 50 concurrent resets', async () => {
    const { alice, path } = await start()
    const { id, token } = await create(alice, path)
    const responses = await Promise.all(Array.from({ length: 50 }, () => alice.post(`${path}/${id}/reset`)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const opened = await Promise.all(
      [token, ...responses.map(({ body }) => body.token)].map((each) =>
        gateway.request('GET', `/v1/public/track-links/${each}`),
      ),
    )
    expect(opened.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(opened.filter(({ status }) => status === 404)).toHaveLength(50)
  })

  it('revoke a link idempotently', async () => {
    const { alice, path } = await start()
    const { id } = await create(alice, path)
    expect((await alice.delete(`${path}/${id}`)).status).toBe(204)
    const [once] = (await alice.get(path)).body.records
    expect(once).toMatchObject({ status: 'revoked', revokedAt: expect.stringMatching(/Z$/) })
    expect((await alice.delete(`${path}/${id}`)).status).toBe(204)
    expect((await alice.get(path)).body.records).toEqual([once])
  })

  it("return 404 for an unknown link and for another track's link", async () => {
    const [mine, other] = [await start(), await start()]
    const { id } = await create(other.alice, other.path)
    for (const unknown of [id, 'unknown', 'no%20id'])
      for (const [method, path] of [
        ['POST', `${mine.path}/${unknown}/reset`],
        ['DELETE', `${mine.path}/${unknown}`],
      ] as const) {
        const response = await gateway.request(method, path, { token: mine.alice.token })
        expect(response.status).toBe(404)
        expect(response.body).toEqual(errorBody('share_link_not_found'))
      }
    expect((await other.alice.get(other.path)).body.records[0].status).toBe('active')
  })

  it('require the entitlement for creating and resetting a link, but not for revoking one', async () => {
    const { alice, path } = await start()
    const { id } = await create(alice, path)
    await gateway.database
      .sql`update subscriptions set status = 'canceled' where account_id = ${alice.accountId}`
    for (const at of [path, `${path}/${id}/reset`]) {
      const response = await alice.post(at)
      expect(response.status).toBe(403)
      expect(response.body).toMatchObject({
        feature: 'tracks.share',
        current: null,
        limit: null,
        planId: 'pro',
      })
    }
    expect((await alice.delete(`${path}/${id}`)).status).toBe(204)
  })

  it('count the active links of all tracks against the quota', async () => {
    const { alice, path } = await start('starter')
    const another = await insertTrackOf(gateway.database.sql, alice.accountId)
    const paths = [path, `/v1/tracks/${another}/share-links`]
    const responses = await Promise.all([0, 1, 0, 1, 0, 1].map((n) => alice.post(paths[n]!)))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403, 403])
    expect(responses.find(({ status }) => status === 403)?.body).toEqual(
      errorBody('entitlement_required', {
        code: 'entitlement_required',
        feature: 'tracks.share',
        current: 2,
        limit: 2,
        planId: 'starter',
        status: 'active',
        upgradeRequired: true,
      }),
    )
    const [one, two] = responses.filter(({ status }) => status === 201).map(({ body }) => body)
    const pathOf = (link: { trackId: string; id: string }) =>
      `/v1/tracks/${link.trackId}/share-links/${link.id}`
    expect((await alice.post(`${pathOf(one)}/reset`)).status).toBe(200)
    await alice.delete(pathOf(one))
    await expire(two.id)
    expect(
      (await Promise.all([alice.post(path), alice.post(path), alice.post(path)])).map((a) => a.status).sort(),
    ).toEqual([201, 201, 403])
  })
})

describe('tracks.split-sheet.share-links.list', () => {
  const gateway = startTestGateway({ core: 'sandbox' })

  it('returns an empty list, even if the core has created links', async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    const entries = [{ collaboratorId: 'alice', percentage: 100 }]
    await alice.put(`/v1/tracks/${trackId}/split-sheet`, { master: entries, writers: entries })
    const path = `/v1/tracks/${trackId}/split-sheet/share-links`
    const made = await alice.post(path, {})
    expect([made.status, made.headers.get('x-service-core-runtime')]).toEqual([201, 'proxy'])
    const response = await alice.get(path)
    expect([response.status, response.headers.get('x-service-core-runtime')]).toEqual([200, 'native'])
    expect(response.body).toEqual({ records: [] })
  })
})
