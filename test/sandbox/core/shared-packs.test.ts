import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createVisitorPseudonyms } from '#db/visitor-pseudonyms.ts'
import { type Caller, makePack, makeTrack } from './running-core.ts'
import { markReady, runStoringCore, type StoringCore, upload } from './storing-core.ts'

const visitorSecret = 'visitor-secret-of-the-tests'
const pseudonymsOf = createVisitorPseudonyms(visitorSecret)

let core: StoringCore
beforeAll(async () => {
  core = await runStoringCore({ visitorSecret })
})
afterAll(() => core.close())

const shared = async (settings: object = {}, service = core) => {
  const alice = await service.signIn()
  const { packId, trackIds } = await makePack(alice, 2)
  const { body: link } = await alice.post(`/v1/packs/${packId}/links`, settings)
  const [first = '', second = ''] = trackIds
  return { alice, packId, first, second, link, path: `/v1/pack-links/${link.slug}` }
}

const makePlayable = async (caller: Caller, trackId: string) => {
  const { versionId } = await upload(caller, trackId, 'WAVE')
  await markReady(core, versionId)
  await core.sql`update tracks set duration_ms = 1500 where id = ${trackId}`
}

const visit = (path: string, init: RequestInit = {}) => core.send(path, init)
const publicly = (path: string) => path.replace('/v1/', '/v1/public/')
const tell = (path: string, body: unknown = {}) =>
  visit(`${path}/share-events`, { method: 'POST', body: JSON.stringify(body) })

const eventsOf = async (packId: string) =>
  Array.from(
    await core.sql`
      select type, track_id, link_kind, source, session_id from engagement_events where pack_id = ${packId}
      order by occurred_at, id`,
  )

describe('pack-links.presentation', () => {
  it('shows the pack at each of its addresses, and nothing of files', async () => {
    const { alice, packId, first, second, link, path } = await shared({ name: 'Press' })
    await makePlayable(alice, first)
    await core.sql`insert into accounts (id, display_name) values (${alice.accountId}, 'Alice M.')`
    const { status, body } = await visit(path)
    expect(status).toBe(200)
    expect(body).toEqual({
      link: {
        slug: link.slug,
        name: 'Press',
        expiresAt: null,
        downloadsEnabled: true,
        requiresAccessCode: false,
      },
      pack: {
        id: packId,
        name: 'Harbour EP',
        description: null,
        artworkUrl: null,
        ownerDisplayName: 'Alice M.',
        trackCount: 2,
        totalDurationMs: 1500,
        createdAt: expect.any(String),
      },
      tracks: [
        {
          id: first,
          position: 0,
          title: 'Song 0',
          artist: 'Alice',
          durationMs: 1500,
          releaseDate: null,
          artworkUrl: null,
          downloadable: true,
        },
        {
          id: second,
          position: 1,
          title: 'Song 1',
          artist: 'Alice',
          durationMs: null,
          releaseDate: null,
          artworkUrl: null,
          downloadable: false,
        },
      ],
    })
    for (const other of [`${path}/presentation`, publicly(path)])
      expect((await visit(other)).body).toEqual(body)
  })

  it('records each visit but those of the owner, who is nobody in public', async () => {
    const { alice, packId, link, path } = await shared()
    const headers = { authorization: `Bearer ${alice.token}` }
    await visit(path, { headers })
    await tell(path)
    await visit(`${path}?sessionId=s&source=mail`)
    await visit(path, { method: 'HEAD' })
    await visit(path, { headers: { authorization: 'Bearer x' } })
    await visit(publicly(path), { headers })
    const { sessionId } = pseudonymsOf({ linkId: link.id, sessionId: 's' })
    expect(await eventsOf(packId)).toMatchObject([
      { type: 'pack.shared' },
      { type: 'pack.viewed', link_kind: 'pack', source: 'mail', session_id: sessionId },
      { type: 'pack.viewed', source: 'pack_link', session_id: null },
      { type: 'pack.viewed' },
    ])
    expect(await eventsOf(packId)).toHaveLength(4)
  })

  it('does not tell what was revoked or has expired from what never was', async () => {
    const [revoked, expired] = [await shared(), await shared({ accessCode: 'tide' })]
    await revoked.alice.delete(`/v1/packs/${revoked.packId}/links/${revoked.link.id}`)
    await core.sql`update pack_links set expires_at = now() where id = ${expired.link.id}`
    for (const path of [
      revoked.path,
      expired.path,
      '/v1/pack-links/nothing',
      '/v1/pack-links/%00',
      '/v1/pack-links/A',
    ])
      for (const [method, rest] of [
        ['GET', ''],
        ['GET', `/tracks/${revoked.first}/playback-url`],
        ['GET', `/tracks/${revoked.first}/download-url`],
        ['POST', '/share-events'],
      ] as const)
        for (const address of [path, publicly(path)]) {
          const { status, body } = await visit(address + rest, { method })
          expect([status, body]).toEqual([404, { error: 'pack_link_not_found' }])
        }
  })
})

describe('the media of a shared pack', () => {
  it.each([
    ['playback-url', 'track.played'],
    ['download-url', 'track.downloaded'],
  ])('come by %s, which is recorded', async (resource, type) => {
    const { alice, packId, first, link, path } = await shared()
    await makePlayable(alice, first)
    for (const address of [path, publicly(path)]) {
      const { status, body } = await visit(`${address}/tracks/${first}/${resource}?sessionId=s`)
      expect(status).toBe(200)
      expect(await (await fetch(body.url)).text()).toBe('WAVE')
    }
    const { sessionId } = pseudonymsOf({ linkId: link.id, sessionId: 's' })
    const recorded = { type, track_id: first, session_id: sessionId }
    expect(await eventsOf(packId)).toMatchObject(Array(2).fill(recorded))
  })

  it('are those of its tracks alone', async () => {
    const { alice, path } = await shared()
    const outside = await makeTrack(alice)
    for (const trackId of [outside, 'none', 'not%20an%20id'])
      for (const resource of ['playback-url', 'download-url']) {
        const { status, body } = await visit(`${path}/tracks/${trackId}/${resource}`)
        expect([status, body]).toEqual([404, { error: 'track_not_found' }])
      }
    const told = await tell(path, { trackId: outside })
    expect([told.status, told.body]).toEqual([404, { error: 'track_not_found' }])
  })

  it('are not there before they are ready', async () => {
    const { first, path } = await shared()
    const { status, body } = await visit(`${path}/tracks/${first}/download-url`)
    expect([status, body]).toEqual([404, { error: 'playback_not_found' }])
  })

  it('are played and not saved where the owner says so, who does not save them here either', async () => {
    const { alice, first, path } = await shared({ disableDownloads: true })
    await makePlayable(alice, first)
    const headers = { authorization: `Bearer ${alice.token}` }
    for (const init of [{}, { headers }]) {
      const { status, body } = await visit(`${path}/tracks/${first}/download-url`, init)
      expect([status, body]).toEqual([403, { error: 'downloads_disabled' }])
    }
    expect((await visit(`${path}/tracks/${first}/playback-url`)).status).toBe(200)
    expect((await visit(path)).body.tracks[0].downloadable).toBe(false)
  })
})

describe('pack-links.share-events.record', () => {
  it('takes what a page tells of the pack or of a track', async () => {
    const { packId, first, path } = await shared()
    expect((await tell(path, { trackId: first, eventType: 'completed' })).body).toEqual({ ok: true })
    expect((await tell(publicly(path))).body).toEqual({ ok: true })
    expect(await eventsOf(packId)).toMatchObject([
      { type: 'track.completed', track_id: first },
      { type: 'pack.shared', track_id: null },
    ])
  })

  it('says ok to the owner and keeps nothing', async () => {
    const { alice, packId, path } = await shared()
    expect((await alice.post(`${path}/share-events`, { eventType: 'played' })).body).toEqual({ ok: true })
    expect(await eventsOf(packId)).toEqual([])
  })

  it('says ok when the event is lost', async () => {
    const own = await runStoringCore({ logLevel: 'silent' })
    onTestFinished(own.close)
    const { path } = await shared({}, own)
    await own.sql`drop table engagement_events`
    const { status, body } = await own.send(`${path}/share-events`, { method: 'POST' })
    expect([status, body]).toEqual([200, { ok: true }])
  })

  it('keeps no page waiting while the event cannot be written', async () => {
    const own = await runStoringCore({ logLevel: 'silent' })
    onTestFinished(own.close)
    const { path } = await shared({}, own)
    await own.sql.begin(async (tx) => {
      await tx`lock table engagement_events in access exclusive mode`
      const before = performance.now()
      const pages = await Promise.all(Array.from({ length: 8 }, () => own.send(path, {})))
      expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]))
      expect(performance.now() - before).toBeLessThan(3000)
    })
  })
})
