import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createVisitorPseudonyms } from '#db/hashes.ts'
import { type Caller, makePack, makeTrack } from './running-core.ts'
import { markReady, runStoringCore, type StoringCore, upload } from './storing-core.ts'

const visitorSecret = 'visitor-secret-of-the-tests'
const pseudonymsOf = createVisitorPseudonyms(visitorSecret)

let core: StoringCore
beforeAll(async () => {
  core = await runStoringCore({ visitorSecret })
})
afterAll(() => core.close())

const sharePack = async (settings: object = {}, service = core) => {
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
const toPublicPath = (path: string) => path.replace('/v1/', '/v1/public/')
const sendShareEvent = (path: string, body: unknown = {}) =>
  visit(`${path}/share-events`, { method: 'POST', body: JSON.stringify(body) })

const listEvents = async (packId: string) =>
  Array.from(
    await core.sql`
      select type, track_id, link_kind, source, session_id from engagement_events where pack_id = ${packId}
      order by occurred_at, id`,
  )

describe('pack-links.presentation', () => {
  it('returns the pack on each of its paths, without storage keys', async () => {
    const { alice, packId, first, second, link, path } = await sharePack({ name: 'Press' })
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
    for (const other of [`${path}/presentation`, toPublicPath(path)])
      expect((await visit(other)).body).toEqual(body)
  })

  it('records every visit except those by the authenticated owner', async () => {
    const { alice, packId, link, path } = await sharePack()
    const headers = { authorization: `Bearer ${alice.token}` }
    await visit(path, { headers })
    await sendShareEvent(path)
    await visit(`${path}?sessionId=s&source=mail`)
    await visit(path, { method: 'HEAD' })
    await visit(path, { headers: { authorization: 'Bearer x' } })
    await visit(toPublicPath(path), { headers })
    const { sessionId } = pseudonymsOf({ linkId: link.id, sessionId: 's' })
    expect(await listEvents(packId)).toMatchObject([
      { type: 'pack.shared' },
      { type: 'pack.viewed', link_kind: 'pack', source: 'mail', session_id: sessionId },
      { type: 'pack.viewed', source: 'pack_link', session_id: null },
      { type: 'pack.viewed' },
    ])
    expect(await listEvents(packId)).toHaveLength(4)
  })

  it('returns the same 404 for revoked, expired and unknown links', async () => {
    const [revoked, expired] = [await sharePack(), await sharePack({ accessCode: 'tide' })]
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
        for (const address of [path, toPublicPath(path)]) {
          const { status, body } = await visit(address + rest, { method })
          expect([status, body]).toEqual([404, { error: 'pack_link_not_found' }])
        }
  })
})

describe('the media of a shared pack', () => {
  it.each([
    ['playback-url', 'track.played'],
    ['download-url', 'track.downloaded'],
  ])('have a %s, and each use of it is recorded', async (resource, type) => {
    const { alice, packId, first, link, path } = await sharePack()
    await makePlayable(alice, first)
    for (const address of [path, toPublicPath(path)]) {
      const { status, body } = await visit(`${address}/tracks/${first}/${resource}?sessionId=s`)
      expect(status).toBe(200)
      expect(await (await fetch(body.url)).text()).toBe('WAVE')
    }
    const { sessionId } = pseudonymsOf({ linkId: link.id, sessionId: 's' })
    const recorded = { type, track_id: first, session_id: sessionId }
    expect(await listEvents(packId)).toMatchObject(Array(2).fill(recorded))
  })

  it('returns 404 for tracks outside the pack', async () => {
    const { alice, path } = await sharePack()
    const outside = await makeTrack(alice)
    for (const trackId of [outside, 'none', 'not%20an%20id'])
      for (const resource of ['playback-url', 'download-url']) {
        const { status, body } = await visit(`${path}/tracks/${trackId}/${resource}`)
        expect([status, body]).toEqual([404, { error: 'track_not_found' }])
      }
    const recorded = await sendShareEvent(path, { trackId: outside })
    expect([recorded.status, recorded.body]).toEqual([404, { error: 'track_not_found' }])
  })

  it('returns 404 before the media is ready', async () => {
    const { first, path } = await sharePack()
    const { status, body } = await visit(`${path}/tracks/${first}/download-url`)
    expect([status, body]).toEqual([404, { error: 'playback_not_found' }])
  })

  it('returns 403 for downloads that the owner has disabled, even to the owner', async () => {
    const { alice, first, path } = await sharePack({ disableDownloads: true })
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
  it('records events of the pack and of a track', async () => {
    const { packId, first, path } = await sharePack()
    expect((await sendShareEvent(path, { trackId: first, eventType: 'completed' })).body).toEqual({
      ok: true,
    })
    expect((await sendShareEvent(toPublicPath(path))).body).toEqual({ ok: true })
    expect(await listEvents(packId)).toMatchObject([
      { type: 'track.completed', track_id: first },
      { type: 'pack.shared', track_id: null },
    ])
  })

  it('records nothing for the owner', async () => {
    const { alice, packId, path } = await sharePack()
    expect((await alice.post(`${path}/share-events`, { eventType: 'played' })).body).toEqual({ ok: true })
    expect(await listEvents(packId)).toEqual([])
  })
})
