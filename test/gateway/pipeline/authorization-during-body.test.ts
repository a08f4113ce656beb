import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { operationTexts } from '#contracts/docs/operation-texts.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import { fillPath, labels, rowOf } from '#contracts/shared/row.ts'
import { errorBody } from '#test/support/error-body.ts'
import { createLibrary, insertTrackOf, inviteToLibrary, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import type { RawResponse } from '#test/support/raw-client.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'
import { openSlowBody } from '#test/support/slow-body.ts'

const parseResponse = ({ status, body }: RawResponse) => ({ status, body: JSON.parse(body) })

const clockToleranceS = 5
// The token is already past its `exp`, so it is accepted only for the rest of the tolerance.
const expiresIn = 2 - clockToleranceS

const waitForExpiry = (token: string) => {
  const msLeft = ((decodeJwt(token).exp ?? 0) + clockToleranceS) * 1000 - Date.now()
  return new Promise((resolve) => setTimeout(resolve, msLeft + 5))
}

const nativeLabels: readonly Label[] = ['packs.update', 'packs.tracks.add', 'packs.tracks.reorder']

describe('if an authorization ends while the body is arriving, the gateway', () => {
  const gateway = startTestGateway({
    control: 'fixed',
    nativeLabels,
    environment: { AUTH_CLOCK_TOLERANCE_S: String(clockToleranceS) },
  })

  const slow = (method: string, path: string, body: unknown, token?: string) =>
    openSlowBody(gateway.url, { method, path, body, ...(token === undefined ? {} : { token }) })

  const nameOf = async ({ id }: { readonly id: string }) => {
    const [library] = await gateway.database.sql`select name from libraries where id = ${id}`
    return library?.name
  }

  const sharedLibrary = async () => {
    const [owner, admin] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(owner)
    const { id: shareId } = await shareLibrary(owner, library, admin, 'admin')
    return { owner, admin, library, path: `/v1/libraries/${library.id}`, shareId }
  }

  const ownedTrack = async () => {
    const owner = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
    return { owner, trackId, path: `/v1/tracks/${trackId}` }
  }

  const changePlan = ({ accountId }: TestAccount, planId: string) =>
    gateway.database.sql`update subscriptions set plan_id = ${planId} where account_id = ${accountId}`

  it('returns 404 to a revoked admin who renames the library', async () => {
    const { owner, admin, library, path, shareId } = await sharedLibrary()
    const request = await slow('PATCH', path, { name: 'Renamed' }, admin.token)
    expect((await owner.delete(`${path}/shares/${shareId}`)).status).toBe(204)
    expect(parseResponse(await request.complete())).toEqual({
      status: 404,
      body: errorBody('library_not_found'),
    })
    expect(await nameOf(library)).toBe('Demos')
  })

  it('returns 403 to an admin who has become a viewer', async () => {
    const { owner, admin, library, path, shareId } = await sharedLibrary()
    const request = await slow('PATCH', path, { name: 'Renamed' }, admin.token)
    await owner.patch(`${path}/shares/${shareId}`, { accessType: 'viewer' })
    expect(parseResponse(await request.complete())).toEqual({ status: 403, body: errorBody('forbidden') })
    expect(await nameOf(library)).toBe('Demos')
  })

  it('returns 401 for an expired token, even if its verification was cached', async () => {
    const owner = await gateway.signUp()
    const library = await createLibrary(owner)
    const path = `/v1/libraries/${library.id}`
    const token = await gateway.issuer.mintToken(owner.accountId, { expiresIn })
    expect((await gateway.request('GET', path, { token })).status).toBe(200)
    const requests = await Promise.all([
      slow('PATCH', path, { name: 'Renamed' }, token),
      // A client with an expired token must not learn about errors in its body either.
      slow('PATCH', path, { name: 7 }, token),
      slow('POST', '/v1/libraries', { name: 'New' }, token),
      slow('POST', '/v1/billing/portal', { returnPath: '/' }, token),
    ])
    await waitForExpiry(token)
    for (const request of requests) {
      const response = await request.complete()
      expect(parseResponse(response)).toEqual({ status: 401, body: errorBody('unauthorized') })
      expect(response.header('www-authenticate')).toBe('Bearer')
    }
    expect((await owner.get('/v1/libraries')).body.records).toMatchObject([{ name: 'Demos' }])
  })

  describe('on a share route', () => {
    // Events are stored in order, some time after the response. Once the last one is stored, all earlier ones are too.
    const expectOnlyEvent = async (
      { accountId }: TestAccount,
      area: string,
      live: { id: string; key: string },
    ) => {
      const { status } = await gateway.request('POST', `${area}/${live.key}/share-events`, { body: {} })
      expect(status).toBe(200)
      const linkIds = async () => {
        const { sql } = gateway.database
        const events = await sql`select link_id from engagement_events where owner_id = ${accountId}`
        return events.map((event) => event.link_id)
      }
      await expect.poll(linkIds).toEqual([live.id])
    }

    const sharedPack = async (link: { accessCode?: string } = {}) => {
      const owner = await gateway.signUp()
      const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
      const { id, slug } = await insertPackLink(gateway.database.sql, packId, link)
      return { owner, packId, id, slug }
    }

    it('records nothing for a revoked track link', async () => {
      const { owner, path } = await ownedTrack()
      const [link, live] = [
        (await owner.post(`${path}/share-links`)).body,
        (await owner.post(`${path}/share-links`)).body,
      ]
      const request = await slow('POST', `/v1/public/track-links/${link.token}/share-events`, {})
      await owner.delete(`${path}/share-links/${link.id}`)
      expect(parseResponse(await request.complete())).toEqual({
        status: 404,
        body: errorBody('track_link_unavailable'),
      })
      await expectOnlyEvent(owner, '/v1/public/track-links', { id: live.id, key: live.token })
    })

    it.each([
      ['/v1/public/pack-links', 'revoked_at'],
      ['/v1/pack-links', 'expires_at'],
    ])('records nothing for a pack link at %s once its %s has passed', async (area, column) => {
      const { owner, packId, id, slug } = await sharedPack()
      const { sql } = gateway.database
      const live = await insertPackLink(sql, packId)
      const request = await slow('POST', `${area}/${slug}/share-events`, {})
      await sql`update pack_links set ${sql(column)} = now() where id = ${id}`
      expect(parseResponse(await request.complete())).toEqual({
        status: 404,
        body: errorBody('pack_link_not_found'),
      })
      await expectOnlyEvent(owner, area, { id: live.id, key: live.slug })
    })

    it('treats an owner whose token has expired as a visitor', async () => {
      const { owner, slug } = await sharedPack({ accessCode: 'open sesame' })
      const token = await gateway.issuer.mintToken(owner.accountId, { expiresIn })
      const request = await slow('POST', `/v1/pack-links/${slug}/share-events`, {}, token)
      await waitForExpiry(token)
      expect(parseResponse(await request.complete())).toEqual({
        status: 403,
        body: errorBody('access_code_required'),
      })
    })
  })

  describe('after a plan change', () => {
    const entitlementError = (
      feature: string,
      current: number | null,
      limit: number | null,
      planId: string,
    ) => ({
      status: 403,
      body: errorBody('entitlement_required', {
        code: 'entitlement_required',
        feature,
        current,
        limit,
        planId,
        status: 'active',
        upgradeRequired: true,
      }),
    })

    it('creates no share link if the new plan lacks the feature', async () => {
      const { owner, path } = await ownedTrack()
      const request = await slow('POST', `${path}/share-links`, {}, owner.token)
      await changePlan(owner, 'free')
      expect(parseResponse(await request.complete())).toEqual(
        entitlementError('tracks.share', null, null, 'free'),
      )
      expect((await owner.get(`${path}/share-links`)).body.records).toEqual([])
    })

    it("creates no share link beyond the smaller plan's limit", async () => {
      const { owner, path } = await ownedTrack()
      for (let count = 0; count < 2; count++) await owner.post(`${path}/share-links`)
      const request = await slow('POST', `${path}/share-links`, {}, owner.token)
      await changePlan(owner, 'starter')
      expect(parseResponse(await request.complete())).toEqual(
        entitlementError('tracks.share', 2, 2, 'starter'),
      )
      expect((await owner.get(`${path}/share-links`)).body.records).toHaveLength(2)
    })

    it('creates no invitation if the new plan lacks the feature', async () => {
      const owner = await gateway.signUp()
      const library = await createLibrary(owner)
      const invitation = { email: 'ann@example.test', accessType: 'viewer' }
      const path = `/v1/libraries/${library.id}/shares`
      const request = await slow('POST', path, invitation, owner.token)
      await changePlan(owner, 'free')
      expect(parseResponse(await request.complete())).toEqual(
        entitlementError('collaborators.invite', null, null, 'free'),
      )
      expect((await owner.get(path)).body.records).toEqual([])
    })
  })

  const bodyOf = (label: Label, trackId: string): object | undefined => {
    if (label.endsWith('.tracks.add')) return { trackId }
    return label === 'libraries.shares.update' ? { inviteStatus: 'accepted' } : operationTexts[label].body
  }

  const writesWithBody = labels.filter((label) => {
    const { runtime, effects, scope } = rowOf(label)
    const isWrite = effects === 'write' || effects === 'external'
    const isNative = runtime !== 'proxy' || nativeLabels.includes(label)
    return isNative && isWrite && scope !== undefined && 'body' in contracts[label]
  })

  it.each(writesWithBody)('responds to %s as if the account had never had access', async (label) => {
    const { sql } = gateway.database
    const { method, scope = '' } = rowOf(label)
    const [owner, guest, other] = await Promise.all([gateway.signUp(), gateway.signUp(), gateway.signUp()])
    const trackId = await insertTrackOf(sql, owner.accountId)
    const library = await createLibrary(owner)
    const isInvitee = scope === 'library:party'
    const { id: shareId } = isInvitee
      ? await inviteToLibrary(owner, library, { targetUserId: guest.accountId })
      : await shareLibrary(owner, library, guest, 'admin')
    const { packId } = await insertPackOf(sql, owner.accountId, 0)
    const path = fillPath(label, { trackId, packId, libraryId: library.id, shareId })
    const body = bodyOf(label, trackId)
    expect(body).toBeDefined()

    const isGuests = isInvitee || scope === 'library:editor' || scope === 'library:admin'
    const request = await slow(method, path, body, isGuests ? guest.token : owner.token)
    if (scope === 'track') await sql`delete from tracks where id = ${trackId}`
    else if (scope === 'pack') await sql`delete from packs where id = ${packId}`
    else if (isGuests && !isInvitee) await owner.delete(`/v1/libraries/${library.id}/shares/${shareId}`)
    else await owner.delete(`/v1/libraries/${library.id}`)
    const response = parseResponse(await request.complete())
    const { status, body: error } = await gateway.request(method, path, { token: other.token, body })
    expect(response).toEqual({ status, body: error })
    expect(status).toBe(404)
  })
})
