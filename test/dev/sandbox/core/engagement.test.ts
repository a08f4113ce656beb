import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createVisitorPseudonyms } from '#db/hashes.ts'
import { makePack, makeTrack } from './running-core.ts'
import { markReady, runStoringCore, type StoringCore, upload } from './storing-core.ts'

const visitorSecret = 'visitor-secret-of-the-tests'
const pseudonymsOf = createVisitorPseudonyms(visitorSecret)

let core: StoringCore
beforeAll(async () => {
  core = await runStoringCore({
    GATEWAY_SECRET: visitorSecret,
    BILLING_PLANS: JSON.stringify([{ id: 'free', entitlements: { 'tracks.share': true } }]),
  })
})
afterAll(() => core.close())

describe('public.track-links.detail', () => {
  it('records visits but not the account, even if the request has a token', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    const { body: link } = await alice.post(`/v1/tracks/${trackId}/share-links`, { name: 'Press' })
    const path = `/v1/public/track-links/${link.token}`
    await core.send(`${path}?visitorId=%20v%20&sessionId=${'🎵'.repeat(121)}&source=`, {})
    await core.send(`${path}?visitorId=a%00b&visitorId=c&source=mail`, {})
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
    const events = await core.sql`
      select type, link_kind, link_id, source, channel, position_ms, visitor_id, session_id
      from engagement_events where track_id = ${trackId} order by occurred_at, id`
    expect(Array.from(events)).toEqual([
      { ...viewed, source: 'pack_link', visitor_id: first.visitorId, session_id: first.sessionId },
      { ...viewed, source: 'mail', visitor_id: second.visitorId, session_id: null },
      { ...viewed, source: 'pack_link', visitor_id: null, session_id: null },
    ])
  })
})

describe('pack-links.presentation', () => {
  it('records every visit except those by the authenticated owner', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice, 2)
    const { body: link } = await alice.post(`/v1/packs/${packId}/links`)
    const path = `/v1/pack-links/${link.slug}`
    const headers = { authorization: `Bearer ${alice.token}` }
    await core.send(path, { headers })
    await core.send(`${path}/share-events`, { method: 'POST', body: '{}' })
    await core.send(`${path}?sessionId=s&source=mail`, {})
    await core.send(path, { method: 'HEAD' })
    await core.send(path, { headers: { authorization: 'Bearer x' } })
    await core.send(path.replace('/v1/', '/v1/public/'), { headers })
    const { sessionId } = pseudonymsOf({ linkId: link.id, sessionId: 's' })
    const events = await core.sql`
      select type, link_kind, source, session_id from engagement_events where pack_id = ${packId}
      order by occurred_at, id`
    expect(Array.from(events)).toMatchObject([
      { type: 'pack.shared' },
      { type: 'pack.viewed', link_kind: 'pack', source: 'mail', session_id: sessionId },
      { type: 'pack.viewed', source: 'pack_link', session_id: null },
      { type: 'pack.viewed' },
    ])
    expect(events).toHaveLength(4)
  })
})

describe('tracks.download-url.issue', () => {
  it('records a download, except for HEAD and shadow requests', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    const { versionId } = await upload(alice, trackId, 'WAVE')
    await markReady(core, versionId)
    const path = `/v1/tracks/${trackId}/download-url`
    const listEvents = () =>
      core.sql`select type, owner_id, link_kind from engagement_events where track_id = ${trackId}`
    await core.send(path, { method: 'HEAD', headers: { authorization: `Bearer ${alice.token}` } })
    await alice.get(path, { 'x-service-shadow': '1' })
    expect(await listEvents()).toEqual([])
    await alice.get(path)
    expect(await listEvents()).toEqual([
      { type: 'track.downloaded', owner_id: alice.accountId, link_kind: null },
    ])
  })
})
