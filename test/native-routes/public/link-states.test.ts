import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import type { TestResponse } from '#test/support/request-at.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

const yesterday = new Date(Date.now() - 86_400_000)
const code = 'right code'
const wrongCode = 'wrong code'

const packLabels: readonly Label[] = [
  'pack-links.detail',
  'pack-links.presentation',
  'pack-links.share-events.record',
  'pack-links.playback-url.issue',
  'pack-links.download-url.issue',
  'public.pack-links.detail',
  'public.pack-links.share-events.record',
  'public.pack-links.playback-url.issue',
  'public.pack-links.download-url.issue',
]
const tokenLabels: readonly Label[] = [
  'public.track-links.detail',
  'public.track-links.playback-url.issue',
  'public.track-links.share-events.record',
  'public.split-sheets.detail',
]

it('the tests below cover every share-link route', () => {
  const covered = [...packLabels, ...tokenLabels]
  expect(covered).toEqual(labels.filter((label) => /^(pack-links|public)\./.test(label)))
  expect(covered).toEqual(labels.filter((label) => rowOf(label).scope?.startsWith('link:')))
})

// A link that does not exist is counted like any other, so its remaining limit reveals nothing.
const requestFields = ['date', 'x-request-id', 'ratelimit']

const withoutRequestFields = ({ status, headers, body }: TestResponse) => ({
  status,
  headers: [...headers].filter(([name]) => !requestFields.includes(name)),
  body,
})

describe('pack-link routes', () => {
  const gateway = startTestGateway()
  const states = {
    'no code': {},
    'wrong code': {},
    'right code': {},
    owner: {},
    expired: { expiresAt: yesterday },
    revoked: { revokedAt: yesterday },
    unknown: {},
    'downloads off': { disableDownloads: true },
    'downloads off, owner': { disableDownloads: true },
  } as const
  type State = keyof typeof states

  const codeFor = (state: State) => {
    if (state === 'no code' || state.endsWith('owner')) return ''
    return `?accessCode=${encodeURIComponent(state === 'wrong code' ? wrongCode : code)}`
  }

  const openLink = async (label: Label, state: State) => {
    const owner = await gateway.signUp()
    const { packId, trackIds } = await insertPackOf(gateway.database.sql, owner.accountId)
    const { slug } = await insertPackLink(gateway.database.sql, packId, {
      accessCode: code,
      ...states[state],
    })
    const { method, path } = rowOf(label)
    const address = path
      .replace(':slug', state === 'unknown' ? 'f'.repeat(32) : slug)
      .replace(':trackId', trackIds[0]!)
    const token = state.endsWith('owner') ? { token: owner.token } : {}
    return gateway.request(method, address + codeFor(state), token)
  }

  // The public routes have no actor, so they do not recognize the owner.
  const expected = (label: Label, state: State): [number, string | undefined] => {
    if (['expired', 'revoked', 'unknown'].includes(state)) return [404, 'pack_link_not_found']
    const isAdmitted =
      state === 'right code' ||
      state === 'downloads off' ||
      (state.endsWith('owner') && rowOf(label).auth === 'actor?')
    if (!isAdmitted) return [403, 'access_code_required']
    if (state.startsWith('downloads off') && label.endsWith('download-url.issue'))
      return [403, 'downloads_disabled']
    return [200, undefined]
  }

  it.each(
    packLabels.flatMap((label) => Object.keys(states).map((state) => ({ label, state: state as State }))),
  )('$label returns the status and error code for the state $state', async ({ label, state }) => {
    const response = await openLink(label, state)
    expect([response.status, response.body.error]).toEqual(expected(label, state))
    expect(response.headers.get('x-service-core-runtime')).toBe('native')
    expect(response.headers.get('x-robots-tag')).toBe('noindex')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    if (response.status !== 200) expect(response.body).toEqual(errorBody(response.body.error))
  })

  it.each(packLabels)(
    '%s returns identical responses for unknown, expired and revoked links',
    async (label) => {
      const unknown = withoutRequestFields(await openLink(label, 'unknown'))
      expect(withoutRequestFields(await openLink(label, 'expired'))).toEqual(unknown)
      expect(withoutRequestFields(await openLink(label, 'revoked'))).toEqual(unknown)
      expect(withoutRequestFields(await openLink(label, 'wrong code'))).toEqual(
        withoutRequestFields(await openLink(label, 'no code')),
      )
    },
  )

  it.each(packLabels)('%s returns 403 to another account and for an invalid bearer token', async (label) => {
    const [owner, other] = [await gateway.signUp(), await gateway.signUp()]
    const { packId, trackIds } = await insertPackOf(gateway.database.sql, owner.accountId)
    const { slug } = await insertPackLink(gateway.database.sql, packId, { accessCode: code })
    const { method, path } = rowOf(label)
    const address = path.replace(':slug', slug).replace(':trackId', trackIds[0]!)
    for (const token of [other.token, `${owner.token}x`])
      expect((await gateway.request(method, address, { token })).status).toBe(403)
  })
})

describe('track-link and split-sheet routes', () => {
  const gateway = startTestGateway()

  const createSharedTrack = async () => {
    const owner = await gateway.signUp()
    const { sql } = gateway.database
    const { trackIds } = await insertPackOf(sql, owner.accountId)
    const links = `/v1/tracks/${trackIds[0]}/share-links`
    return { owner, trackId: trackIds[0]!, links, sql }
  }

  const createSplitSheetToken = async (owner: TestAccount, state: string) => {
    const { sql } = gateway.database
    const trackId = await insertTrackOf(sql, owner.accountId)
    const entries = [{ collaboratorId: 'alice', percentage: 100 }]
    await owner.put(`/v1/tracks/${trackId}/split-sheet`, { master: entries, writers: entries })
    const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(token))).toString('hex')
    await sql`
      insert into split_sheet_links (id, track_id, token_hash, token_preview, expires_at, revoked_at)
      values (${crypto.randomUUID()}, ${trackId}, ${hash}, ${token.slice(-4)},
        ${state === 'expired' ? yesterday : null}, ${state === 'revoked' ? yesterday : null})`
    return token
  }

  const createTrackToken = async (owner: TestAccount, links: string, state: string) => {
    const { body } = await owner.post(links)
    if (state === 'expired')
      await gateway.database.sql`update track_share_links set expires_at = ${yesterday} where id = ${body.id}`
    if (state === 'revoked') await owner.delete(`${links}/${body.id}`)
    if (state === 'replaced') await owner.post(`${links}/${body.id}/reset`)
    return body.token
  }

  const createTokens = async (label: Label) => {
    const { owner, links } = await createSharedTrack()
    const isSplitSheet = rowOf(label).scope === 'link:split-sheet'
    const token = (state: string) =>
      isSplitSheet ? createSplitSheetToken(owner, state) : createTrackToken(owner, links, state)
    return {
      owner,
      active: await token(''),
      revoked: await token('revoked'),
      expired: await token('expired'),
      ...(isSplitSheet ? {} : { replaced: await token('replaced') }),
    }
  }

  it.each(tokenLabels)('%s returns the same 404 for every token that is not active', async (label) => {
    const { owner, active, ...closed } = await createTokens(label)
    const { method, path } = rowOf(label)
    const openLink = (token: string, headers = {}) =>
      gateway.request(method, path.replace(':token', token), { headers })
    expect((await openLink(active)).status).toBe(200)
    const unknown = withoutRequestFields(await openLink('A'.repeat(43)))
    expect(unknown.status).toBe(404)
    // Also tries a token for another kind of link, a malformed token, and requests with the owner's bearer token.
    const otherLabel =
      rowOf(label).scope === 'link:track' ? 'public.split-sheets.detail' : 'public.track-links.detail'
    const others = { ...closed, otherKind: (await createTokens(otherLabel)).active, malformed: 'x' }
    for (const [what, token] of Object.entries(others)) {
      expect(withoutRequestFields(await openLink(token)), what).toEqual(unknown)
      const signedIn = await openLink(token, { authorization: `Bearer ${owner.token}` })
      expect(withoutRequestFields(signedIn), what).toEqual(unknown)
    }
  })

  it.each(tokenLabels)('%s ignores an access code and a bearer token', async (label) => {
    const { owner, active } = await createTokens(label)
    const { method, path } = rowOf(label)
    for (const query of ['', '?accessCode=wrong%20code', '?accessCode=']) {
      const address = path.replace(':token', active) + query
      expect((await gateway.request(method, address)).status).toBe(200)
      expect((await gateway.request(method, address, { token: owner.token })).status).toBe(200)
    }
  })

  it('returns a shared track and its playback URL, and accepts a share event', async () => {
    const { owner, links, trackId, sql } = await createSharedTrack()
    const assetId = crypto.randomUUID()
    await sql`insert into media_assets ${sql({
      id: assetId,
      track_id: trackId,
      kind: 'artwork',
      status: 'ready',
      file_name: 'c.png',
      content_type: 'image/png',
      byte_size: 9,
      storage_key: `tests/${assetId}`,
      is_primary: true,
    })}`
    const { token, createdAt } = (await owner.post(links, { name: 'For Sam' })).body
    const shown = await gateway.request('GET', `/v1/public/track-links/${token}`)
    expect(shown.status).toBe(200)
    expect(shown.body).toEqual({
      link: { name: 'For Sam', status: 'active', expiresAt: null, createdAt },
      track: {
        id: trackId,
        title: 'Track 0',
        artist: 'The Owls',
        releaseDate: null,
        durationMs: 201000,
        artworkUrl: expect.stringMatching(/^http/),
        artworkUrlExpiresAt: expect.stringMatching(/Z$/),
      },
    })
    const played = await gateway.request('GET', `/v1/public/track-links/${token}/playback-url`)
    expect(played.status).toBe(200)
    expect(played.body).toMatchObject({ trackId, url: expect.stringMatching(/^http/), durationMs: 201000 })
    const reported = await gateway.request('POST', `/v1/public/track-links/${token}/share-events`)
    expect([reported.status, reported.body]).toEqual([200, { ok: true }])
  })

  it('returns a shared split sheet, without `expiresAt` if the link does not expire', async () => {
    const { owner } = await createSharedTrack()
    const token = await createSplitSheetToken(owner, '')
    const path = `/v1/public/split-sheets/${token}`
    const { status, body } = await gateway.request('GET', path)
    expect(status).toBe(200)
    expect(body.link).toEqual({
      name: null,
      status: 'active',
      tokenPreview: token.slice(-4),
      trackId: expect.any(String),
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    })
    expect(body.splitSheet).toMatchObject({
      trackId: body.link.trackId,
      master: [{ collaboratorId: 'alice' }],
    })
    await gateway.database.sql`update split_sheet_links set expires_at = '2099-01-01T00:00:00Z'`
    expect((await gateway.request('GET', path)).body.link.expiresAt).toBe('2099-01-01T00:00:00.000Z')
  })

  it('returns 404 for the playback URL of a track without audio', async () => {
    const owner = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
    const { token } = (await owner.post(`/v1/tracks/${trackId}/share-links`)).body
    const response = await gateway.request('GET', `/v1/public/track-links/${token}/playback-url`)
    expect([response.status, response.body]).toEqual([404, errorBody('playback_not_found')])
  })

  it('returns 404 for every request that starts after the link was revoked', async () => {
    const { owner, links } = await createSharedTrack()
    const { id, token } = (await owner.post(links)).body
    const play = () => gateway.request('GET', `/v1/public/track-links/${token}/playback-url`)
    const early = Array.from({ length: 100 }, play)
    const late: Promise<TestResponse>[] = []
    const revoked = owner.delete(`${links}/${id}`).then(({ status }) => {
      expect(status).toBe(204)
      late.push(...Array.from({ length: 50 }, play))
    })
    const statuses = new Set((await Promise.all(early)).map(({ status }) => status))
    expect([...statuses].every((status) => status === 200 || status === 404)).toBe(true)
    await revoked
    expect(new Set((await Promise.all(late)).map(({ status }) => status))).toEqual(new Set([404]))
  })
})
