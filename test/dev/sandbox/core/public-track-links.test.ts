import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createVisitorPseudonyms } from '#db/hashes.ts'
import { invalidPaths, makeTrack } from './running-core.ts'
import { markReady, runStoringCore, type StoringCore, upload } from './storing-core.ts'

const plans = [{ id: 'free', entitlements: { 'tracks.share': true } as const }]

const visitorSecret = 'visitor-secret-of-the-tests'
const pseudonymsOf = createVisitorPseudonyms(visitorSecret)

let core: StoringCore
beforeAll(async () => {
  core = await runStoringCore({ plans, visitorSecret })
})
afterAll(() => core.close())

const shareTrack = async (service = core) => {
  const alice = await service.signIn()
  const trackId = await makeTrack(alice)
  const { body: link } = await alice.post(`/v1/tracks/${trackId}/share-links`, { name: 'Press' })
  const path = `/v1/public/track-links/${link.token}`
  const post = (body: unknown) =>
    service.send(`${path}/share-events`, { method: 'POST', body: JSON.stringify(body) })
  return { alice, trackId, link, path, get: (rest = '') => service.send(path + rest, {}), post }
}

const listEvents = async (trackId: string) =>
  Array.from(
    await core.sql`
      select type, link_kind, link_id, source, channel, position_ms, visitor_id, session_id
      from engagement_events where track_id = ${trackId} order by occurred_at, id`,
  )

describe('public.track-links.detail', () => {
  it('returns the track without its owner or its files', async () => {
    const { trackId, link, get } = await shareTrack()
    const { status, body } = await get()
    expect(status).toBe(200)
    expect(body).toEqual({
      link: { name: 'Press', status: 'active', expiresAt: null, createdAt: link.createdAt },
      track: {
        id: trackId,
        title: 'Slow Tide',
        artist: 'Alice',
        releaseDate: null,
        durationMs: null,
        artworkUrl: null,
        artworkUrlExpiresAt: null,
      },
    })
  })

  it('returns a URL for the primary artwork', async () => {
    const { alice, trackId, get } = await shareTrack()
    const { assetId } = await upload(alice, trackId, 'PNG', { folder: 'artwork', contentType: 'image/png' })
    await core.sql`update media_assets set status = 'ready', is_primary = true where id = ${assetId}`
    const { track } = (await get()).body
    expect(await (await fetch(track.artworkUrl)).text()).toBe('PNG')
    expect(Date.parse(track.artworkUrlExpiresAt)).toBeGreaterThan(Date.now())
  })

  it('records visits without an account, even for requests with a token', async () => {
    const { alice, trackId, link, path, get } = await shareTrack()
    await get(`?visitorId=%20v%20&sessionId=${'🎵'.repeat(121)}&source=`)
    await get('?visitorId=a%00b&visitorId=c&source=mail')
    await core.send(path, { headers: { authorization: `Bearer ${alice.token}` } })
    const viewed = {
      type: 'track.viewed',
      link_kind: 'track',
      link_id: link.id,
      channel: null,
      position_ms: null,
    }
    const linkId = link.id
    const first = pseudonymsOf({ linkId, visitorId: 'v', sessionId: '🎵'.repeat(120) })
    const second = pseudonymsOf({ linkId, visitorId: 'ab' })
    expect(await listEvents(trackId)).toEqual([
      { ...viewed, source: 'pack_link', visitor_id: first.visitorId, session_id: first.sessionId },
      { ...viewed, source: 'mail', visitor_id: second.visitorId, session_id: null },
      { ...viewed, source: 'pack_link', visitor_id: null, session_id: null },
    ])
  })

  it('returns the same 404 for revoked, expired and unknown links, also on paths below the link', async () => {
    const [revoked, expired] = [await shareTrack(), await shareTrack()]
    await revoked.alice.delete(`/v1/tracks/${revoked.trackId}/share-links/${revoked.link.id}`)
    await core.sql`update track_share_links set expires_at = now() where id = ${expired.link.id}`
    for (const token of [revoked.link.token, expired.link.token, 'x', '%00', revoked.link.id])
      for (const [method, rest] of [
        ['GET', ''],
        ['GET', '/playback-url'],
        ['POST', '/share-events'],
      ] as const) {
        const { status, body } = await core.send(`/v1/public/track-links/${token}${rest}`, { method })
        expect([status, body]).toEqual([404, { error: 'track_link_unavailable' }])
      }
  })
})

describe('public.track-links.playback-url.issue', () => {
  it('returns a playback URL and records the event', async () => {
    const { alice, trackId, link, get } = await shareTrack()
    const early = await get('/playback-url')
    expect([early.status, early.body]).toEqual([404, { error: 'playback_not_found' }])
    const { versionId } = await upload(alice, trackId, 'WAVE')
    await markReady(core, versionId)
    const { body } = await get('/playback-url?sessionId=s')
    expect(await (await fetch(body.url)).text()).toBe('WAVE')
    const { sessionId } = pseudonymsOf({ linkId: link.id, sessionId: 's' })
    expect(await listEvents(trackId)).toMatchObject([{ type: 'track.played', session_id: sessionId }])
  })
})

describe('public.track-links.share-events.record', () => {
  it('records the events of a page', async () => {
    const { trackId, post } = await shareTrack()
    expect((await post({})).body).toEqual({ ok: true })
    await post({
      eventType: 'progress',
      channel: 'embed',
      positionMs: 0,
      durationMs: 1,
      visitorId: ' ',
      other: 1,
    })
    expect(await listEvents(trackId)).toMatchObject([
      { type: 'track.shared', source: 'pack_link', channel: null },
      { type: 'track.progress', channel: 'embed', position_ms: 0, visitor_id: null },
    ])
  })

  it.each([
    [{ eventType: 'liked' }, 'eventType'],
    [{ channel: 'fax' }, 'channel'],
    [{ positionMs: -1 }, 'positionMs'],
    [{ durationMs: 0 }, 'durationMs'],
    [{ visitorId: 1 }, 'visitorId'],
    [{ source: null }, 'source'],
  ])('rejects the body %j', async (body, path) => {
    const { post } = await shareTrack()
    expect(invalidPaths(await post(body))).toEqual([path])
  })
})

describe('rate limits on public track links', () => {
  it('cause 429 with Retry-After, per client and per link', async () => {
    const rate = { count: 2, seconds: 3600 }
    const limitedCore = await runStoringCore({ plans, rates: { publicReads: rate, shareEvents: rate } })
    onTestFinished(limitedCore.close)
    const [one, other] = [await shareTrack(limitedCore), await shareTrack(limitedCore)]
    const statuses = []
    for (let count = 0; count < 3; count++) {
      const read = await one.get()
      const recorded = await one.post({})
      statuses.push([read.status, recorded.status])
    }
    expect(statuses).toEqual([
      [200, 200],
      [200, 200],
      [429, 429],
    ])
    const { body, headers } = await one.get()
    expect(body).toEqual({ error: 'analytics_rate_limited' })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await other.get()).status).toBe(200)
    const elsewhere = { headers: { 'x-forwarded-for': `2001:db8::${randomUUID().slice(0, 4)}` } }
    expect((await limitedCore.send(one.path, elsewhere)).status).toBe(200)
  })
})
