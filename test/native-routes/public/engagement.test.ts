import { describe, expect, it } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

const visit = 'visitorId=visitor-of-the-tests&sessionId=session-of-the-tests&source=mail'

describe('engagement events', () => {
  const gateway = startTestGateway()
  const start = async () => {
    const owner = await gateway.signUp()
    const { sql } = gateway.database
    const { packId, trackIds } = await insertPackOf(sql, owner.accountId)
    const link = await insertPackLink(sql, packId, { accessCode: 'sesame of the tests' })
    const { token, id: linkId } = (await owner.post(`/v1/tracks/${trackIds[0]}/share-links`)).body
    const pack = (path: string, query = '') =>
      `/v1/pack-links/${link.slug}${path}?accessCode=sesame%20of%20the%20tests&${query}`
    return { owner, packId, trackId: trackIds[0]!, link, linkId, token, pack }
  }
  const eventsOf = (ownerId: string) => gateway.database.sql`
    select type, pack_id, track_id, link_kind, link_id, source, channel, position_ms, duration_ms,
      visitor_id, session_id
    from engagement_events where owner_id = ${ownerId} order by id`
  const eventually = async (ownerId: string, count: number) => {
    await expect.poll(async () => (await eventsOf(ownerId)).length).toBe(count)
    return eventsOf(ownerId)
  }

  it('are recorded with hashes of the visitor and session ids', async () => {
    const { owner, packId, trackId, link, linkId, token, pack } = await start()
    const media = `/tracks/${trackId}`
    const ofPack = { pack_id: packId, link_kind: 'pack', link_id: link.id, source: 'mail' }
    const ofTrack = { pack_id: null, track_id: trackId, link_kind: 'track', link_id: linkId, source: 'mail' }
    const steps = [
      ['GET', pack('', visit), { ...ofPack, type: 'pack.viewed', track_id: null }],
      ['GET', pack('/presentation', visit), { ...ofPack, type: 'pack.viewed', track_id: null }],
      ['GET', pack(`${media}/playback-url`, visit), { ...ofPack, type: 'track.played', track_id: trackId }],
      [
        'GET',
        pack(`${media}/download-url`, visit),
        { ...ofPack, type: 'track.downloaded', track_id: trackId },
      ],
      ['GET', `/v1/public/track-links/${token}?${visit}`, { ...ofTrack, type: 'track.viewed' }],
      ['GET', `/v1/public/track-links/${token}/playback-url?${visit}`, { ...ofTrack, type: 'track.played' }],
    ] as const
    for (const [n, [method, path, expected]] of steps.entries()) {
      expect((await gateway.request(method, path)).status).toBe(200)
      expect((await eventually(owner.accountId, n + 1)).at(-1)).toMatchObject(expected)
    }
    const events = await eventsOf(owner.accountId)
    for (const { visitor_id, session_id } of events) {
      expect(visitor_id).toMatch(/^[\w-]{43}$/)
      expect(session_id).toMatch(/^[\w-]{43}$/)
    }
    const sessionsOf = (kind: string) =>
      new Set(events.filter((event) => event.link_kind === kind).map(({ session_id }) => session_id))
    expect([sessionsOf('pack').size, sessionsOf('track').size]).toEqual([1, 1])
    expect(sessionsOf('pack')).not.toEqual(sessionsOf('track'))
  })

  it('are recorded with the fields sent in a share event', async () => {
    const { owner, trackId, token, pack } = await start()
    const body = {
      eventType: 'progress',
      channel: 'qr',
      positionMs: 7,
      durationMs: 9e9,
      trackId,
      source: ' ',
    }
    await gateway.request('POST', pack('/share-events'), { body })
    expect((await eventually(owner.accountId, 1))[0]).toMatchObject({
      type: 'track.progress',
      channel: 'qr',
      position_ms: 7,
      duration_ms: 2 ** 31 - 1,
      track_id: trackId,
      source: 'pack_link',
      visitor_id: null,
    })
    await gateway.request('POST', `/v1/public/track-links/${token}/share-events`)
    expect((await eventually(owner.accountId, 2))[1]).toMatchObject({
      type: 'track.shared',
      track_id: trackId,
    })
    await gateway.request('POST', pack('/share-events'))
    expect((await eventually(owner.accountId, 3))[2]).toMatchObject({ type: 'pack.shared', track_id: null })
  })

  it('are recorded with the first 120 characters of the source', async () => {
    const { owner, pack } = await start()
    const source = '🎹'.repeat(130)
    await gateway.request('GET', pack('', `source=%20${encodeURIComponent(source)}`))
    expect((await eventually(owner.accountId, 1))[0]!.source).toBe('🎹'.repeat(120))
  })

  it('are not recorded for visits by the owner, HEAD requests or error responses', async () => {
    const { owner, trackId, link, pack } = await start()
    const token = { token: owner.token }
    for (const path of [
      '',
      '/presentation',
      `/tracks/${trackId}/playback-url`,
      `/tracks/${trackId}/download-url`,
    ])
      expect((await gateway.request('GET', pack(path), token)).status).toBe(200)
    expect((await gateway.request('POST', pack('/share-events'), token)).body).toEqual({ ok: true })
    expect((await gateway.request('HEAD', pack(''))).status).toBe(200)
    expect((await gateway.request('GET', `/v1/pack-links/${link.slug}`)).status).toBe(403)
    expect((await gateway.request('GET', pack('/tracks/unknown/playback-url'))).status).toBe(404)
    // The public route has no actor, so it records the owner's visit too. That is the only event recorded here.
    await gateway.request('GET', `/v1/public${pack('').slice('/v1'.length)}`, token)
    expect(await eventually(owner.accountId, 1)).toMatchObject([{ type: 'pack.viewed' }])
  })

  it('do not delay responses while their table is locked or missing, and are written later', async () => {
    const { owner, trackId, token, pack } = await start()
    const pages = [
      ['GET', pack('', visit)],
      ['GET', pack(`/tracks/${trackId}/playback-url`, visit)],
      ['GET', `/v1/public/track-links/${token}`],
      ['POST', `/v1/public/track-links/${token}/share-events`],
    ] as const
    const slowest = async () => {
      let longest = 0
      for (let round = 0; round < 3; round++)
        for (const [method, path] of pages) {
          const before = performance.now()
          expect((await gateway.request(method, path)).status).toBe(200)
          longest = Math.max(longest, performance.now() - before)
        }
      return longest
    }
    await slowest()
    const { sql } = gateway.database
    const unlock = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const lock = sql.begin(async (tx) => {
      await tx`lock table engagement_events in access exclusive mode`
      locked.resolve()
      await unlock.promise
    })
    await locked.promise
    const looks = Promise.all(Array.from({ length: 12 }, () => owner.get('/v1/analytics/events')))
    expect(await slowest()).toBeLessThan(900)
    expect((await looks).map(({ status }) => status)).toEqual(Array(12).fill(503))
    unlock.resolve()
    await lock
    await sql`alter table engagement_events rename to engagement_events_away`
    try {
      expect(await slowest()).toBeLessThan(900)
    } finally {
      await sql`alter table engagement_events_away rename to engagement_events`
    }
    // The events that could not be written above are written once the table is available again.
    await expect.poll(async () => (await eventsOf(owner.accountId)).length, { timeout: 12_000 }).toBe(36)
  }, 30_000)

  it('are written before the gateway stops', async () => {
    const { owner, token } = await start()
    const other = await startGateway({ settings: gateway.settings, log: createRecordingLog() })
    await Promise.all(
      Array.from({ length: 60 }, () => requestAt(other.url, 'GET', `/v1/public/track-links/${token}`)),
    )
    await other.close()
    expect(await eventsOf(owner.accountId)).toHaveLength(60)
  })

  it('are counted in /metrics if they are dropped', async () => {
    const { owner, pack } = await start()
    const dropped = async () => {
      const { body } = await gateway.requestAdmin('GET', '/metrics')
      return Number(/^crossfade_engagement_events_dropped_total (\d+)$/m.exec(body)?.[1])
    }
    const before = await dropped()
    const { sql } = gateway.database
    await sql`alter table engagement_events add constraint rejection check (source <> 'rejected') not valid`
    try {
      for (const source of ['rejected', 'accepted', 'rejected'])
        expect((await gateway.request('GET', pack('', `source=${source}`))).status).toBe(200)
      await expect.poll(dropped).toBe(before + 2)
      expect(await eventually(owner.accountId, 1)).toMatchObject([{ source: 'accepted' }])
    } finally {
      await sql`alter table engagement_events drop constraint rejection`
    }
  })
})

describe('share routes when the engagement events table is missing', () => {
  const gateway = startTestGateway()

  it('respond without delay, and the gateway still stops within five seconds', async () => {
    const owner = await gateway.signUp()
    const { sql } = gateway.database
    const { packId, trackIds } = await insertPackOf(sql, owner.accountId)
    const { slug } = await insertPackLink(sql, packId)
    const { token } = (await owner.post(`/v1/tracks/${trackIds[0]}/share-links`)).body
    const other = await startGateway({ settings: gateway.settings, log: createRecordingLog() })
    const pages = [
      ['GET', `/v1/pack-links/${slug}`],
      ['GET', `/v1/public/pack-links/${slug}/tracks/${trackIds[0]}/playback-url`],
      ['GET', `/v1/public/pack-links/${slug}/tracks/${trackIds[0]}/download-url`],
      ['POST', `/v1/public/pack-links/${slug}/share-events`],
      ['GET', `/v1/public/track-links/${token}`],
      ['POST', `/v1/public/track-links/${token}/share-events`],
    ] as const
    const slowest = async () => {
      const times: number[] = []
      for (const [method, path] of [...pages, ...pages]) {
        const before = performance.now()
        expect((await requestAt(other.url, method, path)).status).toBe(200)
        times.push(performance.now() - before)
      }
      return Math.max(...times)
    }
    await slowest()
    await sql`drop table engagement_events`
    // A response that waited for the table would take seconds.
    expect(await slowest()).toBeLessThan(900)
    const before = performance.now()
    await other.close()
    expect(performance.now() - before).toBeLessThan(5000)
  })
})
