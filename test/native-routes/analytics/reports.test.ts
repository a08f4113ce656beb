import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

type ReportedEvent = Readonly<Record<string, string | null>>
const noCounts = { views: 0, plays: 0, downloads: 0, shares: 0, clicks: 0 }

describe('analytics.overview, analytics.packs.detail, analytics.tracks.detail and analytics.events.list', () => {
  const gateway = startTestGateway()
  const insert = (events: readonly ReportedEvent[]) => {
    const { sql } = gateway.database
    return sql`insert into engagement_events ${sql(
      events.map((event) => ({
        id: crypto.randomUUID(),
        pack_id: null,
        track_id: null,
        link_kind: null,
        link_id: null,
        source: null,
        session_id: null,
        visitor_id: null,
        ...event,
      })),
    )}`
  }
  const start = async () => {
    const alice = await gateway.signUp()
    const { packId, trackIds } = await insertPackOf(gateway.database.sql, alice.accountId, 2)
    const [red, blue] = [
      await insertPackLink(gateway.database.sql, packId, { name: 'Red' }),
      await insertPackLink(gateway.database.sql, packId),
    ]
    const event = (type: string, day: string, more: ReportedEvent = {}): ReportedEvent => ({
      owner_id: alice.accountId,
      type,
      occurred_at: `${day}T23:59:59.999Z`,
      pack_id: packId,
      link_kind: 'pack',
      link_id: red.id,
      source: 'mail',
      ...more,
    })
    return { alice, packId, trackIds, red, blue, event }
  }

  it("count a pack's events by link, source and day", async () => {
    const { alice, packId, trackIds, red, blue, event } = await start()
    await insert([
      event('pack.viewed', '2026-03-01', { session_id: 'one' }),
      event('pack.viewed', '2026-03-03', { session_id: 'one' }),
      event('track.played', '2026-03-03', { session_id: 'two', track_id: trackIds[0]! }),
      event('pack.shared', '2026-03-03', { link_id: blue.id, source: 'press', session_id: 'one' }),
      event('track.downloaded', '2026-03-03', { link_id: blue.id, visitor_id: 'three' }),
      event('track.progress', '2026-03-03', { link_id: blue.id }),
      event('pack.viewed', '2026-02-28', { session_id: 'before' }),
      event('pack.viewed', '2026-03-04', { session_id: 'after' }),
    ])
    const response = await alice.get(`/v1/analytics/packs/${packId}?from=2026-03-01&to=2026-03-03`)
    expect(response.status).toBe(200)
    const { byLink, ...body } = response.body
    expect(body).toEqual({
      packId,
      totals: { ...noCounts, views: 2, plays: 1, shares: 1, downloads: 1, uniqueVisitors: 4 },
      bySource: [
        { source: 'mail', views: 2, plays: 1, downloads: 1, shares: 0 },
        { source: 'press', views: 0, plays: 0, downloads: 0, shares: 1 },
      ],
      byCountry: [],
      series: [
        { ...noCounts, date: '2026-03-01', views: 1 },
        { ...noCounts, date: '2026-03-02' },
        { ...noCounts, date: '2026-03-03', views: 1, plays: 1, downloads: 1, shares: 1 },
      ],
    })
    expect(byLink).toHaveLength(2)
    expect(byLink).toEqual(
      expect.arrayContaining([
        { ...noCounts, linkId: red.id, name: 'Red', views: 2, plays: 1, uniqueVisitors: 2 },
        { ...noCounts, linkId: blue.id, name: null, shares: 1, downloads: 1, uniqueVisitors: 2 },
      ]),
    )
  })

  it("count a track's events from track links and pack links", async () => {
    const { alice, trackIds, event } = await start()
    const [trackId] = trackIds as [string]
    const { id } = (await alice.post(`/v1/tracks/${trackId}/share-links`, { name: 'Alone' })).body
    await insert([
      event('track.played', '2026-03-01', { track_id: trackId, session_id: 'one' }),
      event('track.viewed', '2026-03-01', {
        pack_id: null,
        track_id: trackId,
        link_kind: 'track',
        link_id: id,
        session_id: 'one',
      }),
      event('track.played', '2026-03-01', { track_id: trackIds[1]! }),
      event('track.downloaded', '2026-03-01', {
        track_id: trackId,
        pack_id: null,
        link_id: null,
        link_kind: null,
      }),
    ])
    const { body } = await alice.get(`/v1/analytics/tracks/${trackId}?from=2026-03-01&to=2026-03-01`)
    expect(body.trackId).toBe(trackId)
    expect(body.totals).toEqual({ ...noCounts, views: 1, plays: 1, downloads: 1, uniqueVisitors: 2 })
    expect(body.byLink.map(({ name }: { name: string }) => name).sort()).toEqual(['Alone', 'Red'])
  })

  it('sum the events of all packs and tracks of an owner', async () => {
    const [{ alice, event }, other] = [await start(), await start()]
    await insert([
      event('pack.viewed', '2026-03-01'),
      event('track.played', '2026-03-02', { pack_id: null, track_id: 'gone' }),
      other.event('pack.viewed', '2026-03-01'),
    ])
    const { body } = await alice.get('/v1/analytics/overview?from=2026-03-01&to=2026-03-02')
    expect(body).toEqual({
      from: '2026-03-01',
      to: '2026-03-02',
      totals: { ...noCounts, views: 1, plays: 1 },
      series: [
        { ...noCounts, date: '2026-03-01', views: 1 },
        { ...noCounts, date: '2026-03-02', plays: 1 },
      ],
    })
  })

  it("count the clicks that the link provider's webhook recorded", async () => {
    const { alice, packId, red, blue } = await start()
    const { sql } = gateway.database
    for (const [n, [linkId, country, type]] of (
      [
        [red.id, 'DE', 'link.clicked'],
        [red.id, null, 'link.clicked'],
        [blue.id, 'DE', 'link.clicked'],
        [blue.id, 'DE', 'lead.created'],
      ] as const
    ).entries())
      await sql`insert into link_events ${sql({
        provider_event_id: `${red.id}-${n}`,
        event_type: type,
        occurred_at: '2026-03-02T00:00:00Z',
        owner_id: alice.accountId,
        link_kind: 'pack',
        link_id: linkId,
        pack_id: packId,
        country,
        qr: false,
      })}`
    const { body } = await alice.get(`/v1/analytics/packs/${packId}?from=2026-03-01&to=2026-03-02`)
    expect(body.totals.clicks).toBe(3)
    expect(body.series.map(({ clicks }: { clicks: number }) => clicks)).toEqual([0, 3])
    expect(body.byCountry).toEqual([
      { country: 'DE', clicks: 2 },
      { country: null, clicks: 1 },
    ])
    expect(body.byLink).toEqual(
      expect.arrayContaining([expect.objectContaining({ linkId: red.id, name: 'Red', clicks: 2 })]),
    )
    expect((await alice.get('/v1/analytics/overview?from=2026-03-02&to=2026-03-02')).body.totals.clicks).toBe(
      3,
    )
  })

  it('cover the last thirty days by default and up to 366 days on request', async () => {
    const { alice } = await start()
    const { body } = await alice.get('/v1/analytics/overview')
    expect(body.series).toHaveLength(30)
    expect(body.to).toBe(new Date().toISOString().slice(0, 10))
    expect(body.series.at(-1).date).toBe(body.to)
    expect((await alice.get('/v1/analytics/overview?to=2026-03-31')).body.from).toBe('2026-03-02')
    expect(
      (await alice.get('/v1/analytics/overview?from=2025-01-01&to=2026-01-01')).body.series,
    ).toHaveLength(366)
  })

  it.each([
    'from=2026-03-02&to=2026-03-01',
    'from=2025-01-01&to=2026-01-02',
    'from=2999-01-01',
    'from=2020-01-01',
    'from=2026-02-30',
    'to=yesterday',
    'to=0001-01-05',
  ])('reject the date range %s', async (days) => {
    const { alice, packId } = await start()
    for (const path of ['overview', `packs/${packId}`]) {
      const response = await alice.get(`/v1/analytics/${path}?${days}`)
      expect([response.status, response.body.error]).toEqual([400, 'validation_error'])
    }
  })

  it('list events newest first, in pages, without visitor identifiers', async () => {
    const { alice, packId, event } = await start()
    await insert(
      Array.from({ length: 5 }, (_, n) =>
        event('pack.viewed', `2026-03-0${(n % 2) + 1}`, { session_id: 's', visitor_id: 'v' }),
      ),
    )
    const records = []
    let cursor: string | null = ''
    for (let pages = 0; cursor !== null; pages++) {
      expect(pages).toBeLessThan(3)
      const { status, body } = await alice.get(`/v1/analytics/events?limit=2${cursor && `&cursor=${cursor}`}`)
      expect(status).toBe(200)
      records.push(...body.records)
      cursor = body.nextCursor && encodeURIComponent(body.nextCursor)
    }
    expect(new Set(records.map(({ id }) => id)).size).toBe(5)
    const order = records.map(({ occurredAt, id }) => `${occurredAt} ${id}`)
    expect(order).toEqual([...order].sort().reverse())
    expect(records[0]).toEqual({
      id: expect.any(String),
      type: 'pack.viewed',
      occurredAt: '2026-03-02T23:59:59.999Z',
      packId,
      trackId: null,
      linkKind: 'pack',
      linkId: expect.any(String),
      source: 'mail',
      channel: null,
      positionMs: null,
      durationMs: null,
    })
    const long = `2026-01-01T00:00:00.${'0'.repeat(200)}Z id`
    const cursors = ['x', btoa('now 1'), btoa('0000-01-01T00:00:00.000Z id')]
    for (const made of [btoa(long), btoa('2026-01-01T00:00:00+23:00 id')])
      expect((await alice.get(`/v1/analytics/events?cursor=${encodeURIComponent(made)}`)).status).toBe(200)
    for (const wrong of [...cursors.map((one) => `cursor=${one}`), 'limit=0', 'limit=201'])
      expect((await alice.get(`/v1/analytics/events?${wrong}`)).status).toBe(400)
  })

  it("return 404 for another account's pack or track", async () => {
    const [{ alice }, other] = [await start(), await start()]
    const trackId = await insertTrackOf(gateway.database.sql, other.alice.accountId)
    for (const [path, error] of [
      [`packs/${other.packId}`, 'pack_not_found'],
      ['packs/no%20id', 'pack_not_found'],
      [`tracks/${trackId}`, 'track_not_found'],
    ] as const) {
      const response = await alice.get(`/v1/analytics/${path}?from=x`)
      expect([response.status, response.body]).toEqual([404, errorBody(error)])
    }
  })
})
