import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countVisitorsByLink, sumEngagementByLink } from '#db/queries/analytics/engagement-by-link.ts'
import { type DaySpan, sumEngagementByDay } from '#db/queries/analytics/engagement-reports.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { dayMs, eventsFrom, randomFrom, start } from './random-events.ts'

const pack = { kind: 'pack', id: 'pack' } as const

const toDay = (time: number) => new Date(time).toISOString().slice(0, 10)

// Spans of full months, with or without extra days before or after them, and spans without any full month.
const months: readonly DaySpan[] = [
  { from: '2026-02-01', to: '2026-02-28' },
  { from: '2026-02-01', to: '2026-03-01' },
  { from: '2026-01-31', to: '2026-02-28' },
  { from: '2026-02-02', to: '2026-03-30' },
  { from: '2026-02-10', to: '2026-02-20' },
  { from: '2026-03-31', to: '2026-04-01' },
  { from: '2026-03-31', to: '2026-03-31' },
  { from: '2026-03-01', to: '2027-02-28' },
  { from: '2026-03-15', to: '2027-03-15' },
]

const createRandomSpans = (count: number): readonly DaySpan[] => {
  const below = randomFrom(11)
  return Array.from({ length: count }, () => {
    const from = start + below(480) * dayMs
    return { from: toDay(from), to: toDay(from + below(366) * dayMs) }
  })
}

describe('reports on events', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
    // Each statement inserts events from all months, so many of them arrive late.
    await Promise.all(
      Array.from({ length: 20 }, (_, seed) => {
        const events = eventsFrom(seed + 100, seed % 4 === 0 ? 1 : 60)
        return database.sql`insert into engagement_events ${database.sql(events)}`
      }),
    )
  })
  afterAll(() => database.close())

  const counts = () => database.sql`
    count(*) filter (where type like '%.viewed')::int as views,
    count(*) filter (where type like '%.played')::int as plays,
    count(*) filter (where type like '%.downloaded')::int as downloads,
    count(*) filter (where type like '%.shared')::int as shares`

  const inSpan = ({ from, to }: DaySpan) => database.sql`
    from engagement_events
    where pack_id = ${pack.id} and (occurred_at at time zone 'UTC')::date between ${from} and ${to}`

  const countByLink = async (span: DaySpan) =>
    Array.from(
      await database.sql`
        select coalesce(link_id, '') as "linkId", ${counts()},
          count(distinct coalesce('s' || session_id, 'v' || visitor_id))::int as "uniqueVisitors"
        ${inSpan(span)} group by 1 order by 1`,
    )

  const countByDay = async (span: DaySpan) =>
    Array.from(
      await database.sql`
        select (occurred_at at time zone 'UTC')::date::text as day, ${counts()} ${inSpan(span)} group by 1 order by 1`,
    )

  it.each([...months, ...createRandomSpans(60)])(
    'count each event and visitor from $from to $to',
    async (span) => {
      const visitors = await countVisitorsByLink(database.db, pack, span)
      const visitorsOf = new Map(visitors.map(({ linkId, uniqueVisitors }) => [linkId, uniqueVisitors]))
      const counted = await sumEngagementByLink(database.db, pack, span)
      const links = counted.map((link) => ({ ...link, uniqueVisitors: visitorsOf.get(link.linkId) ?? 0 }))
      expect(links.toSorted((a, b) => (a.linkId < b.linkId ? -1 : 1))).toEqual(await countByLink(span))
      const days = await sumEngagementByDay(database.db, pack, span)
      expect(days.toSorted((a, b) => (a.day < b.day ? -1 : 1))).toEqual(await countByDay(span))
    },
  )

  it('are empty for the earliest and latest days that a request can name', async () => {
    for (const span of [
      { from: '0001-01-01', to: '0001-12-31' },
      { from: '9999-01-02', to: '9999-12-31' },
    ]) {
      expect(await sumEngagementByLink(database.db, pack, span)).toEqual([])
      expect(await countVisitorsByLink(database.db, pack, span)).toEqual([])
    }
  })
})
