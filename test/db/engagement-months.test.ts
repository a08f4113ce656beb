import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countVisitorsByLink, sumEngagementByLink } from '#db/queries/analytics/engagement-by-link.ts'
import type { DaySpan } from '#db/queries/analytics/engagement-reports.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const pack = { kind: 'pack', id: 'pack' } as const

// Days at the edges of months and in the middle, so some spans cover about half of a month.
const days = [
  '2026-01-31',
  '2026-02-01',
  '2026-02-14',
  '2026-02-28',
  '2026-03-01',
  '2026-03-02',
  '2026-03-16',
  '2026-03-17',
  '2026-03-30',
  '2026-03-31',
  '2026-04-01',
  '2026-04-30',
]
const spans = days.flatMap((from): DaySpan[] => days.filter((to) => to >= from).map((to) => ({ from, to })))

interface Visit {
  readonly at: string
  readonly link: string | null
  readonly session?: string
  readonly type?: string
}

describe('reports on links', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())

  const insert = ({ at, link, session, type = 'pack.viewed' }: Visit) =>
    database.sql`insert into engagement_events ${database.sql({
      id: crypto.randomUUID(),
      owner_id: 'acct_owner',
      type,
      occurred_at: at,
      pack_id: pack.id,
      link_kind: link && 'pack',
      link_id: link,
      session_id: session ?? null,
    })}`

  const countEvents = async ({ from, to }: DaySpan) =>
    Array.from(
      await database.sql`
        select coalesce(link_id, '') as "linkId", count(distinct session_id)::int as "uniqueVisitors",
          count(*) filter (where type = 'pack.viewed')::int as views
        from engagement_events
        where pack_id = ${pack.id} and (occurred_at at time zone 'UTC')::date between ${from} and ${to}
        group by 1 order by 1`,
    )

  const readReport = async (span: DaySpan) => {
    const visitors = await countVisitorsByLink(database.db, pack, span)
    const visitorsOf = new Map(visitors.map(({ linkId, uniqueVisitors }) => [linkId, uniqueVisitors]))
    const links = await sumEngagementByLink(database.db, pack, span)
    return links
      .map(({ linkId, views }) => ({ linkId, uniqueVisitors: visitorsOf.get(linkId) ?? 0, views }))
      .toSorted((left, right) => (left.linkId < right.linkId ? -1 : 1))
  }

  const expectCountsOfAllSpans = async () => {
    for (const span of spans)
      expect(await readReport(span), `${span.from} to ${span.to}`).toEqual(await countEvents(span))
  }

  const insertAll = async (visits: readonly Visit[]) => {
    for (const visit of visits) await insert(visit)
    await expectCountsOfAllSpans()
  }

  it('are right if the last month of a span has no events after the span', () =>
    insertAll([
      { at: '2026-02-14T00:00:00.000Z', link: 'red', session: 'one' },
      { at: '2026-03-01T00:00:00.000Z', link: 'red', session: 'one' },
      { at: '2026-03-16T23:59:59.999Z', link: 'red', session: 'two' },
      { at: '2026-03-17T00:00:00.000Z', link: 'blue', session: 'two' },
    ]))

  it('leave out events that come after the span but in its last month', () =>
    insertAll([
      { at: '2026-03-31T12:00:00Z', link: 'red', session: 'one' },
      { at: '2026-03-31T12:00:00Z', link: 'green', session: 'three' },
    ]))

  it('count an event that arrives after events from later days', () =>
    insertAll([
      { at: '2026-03-02T12:00:00Z', link: 'blue', session: 'two' },
      { at: '2026-01-31T12:00:00Z', link: 'red', session: 'two' },
    ]))

  it('count an event on its UTC day', () =>
    insertAll([
      { at: '2026-03-31T23:30:00-05:00', link: 'red', session: 'four' },
      { at: '2026-03-01T00:30:00+14:00', link: 'red', session: 'four' },
    ]))

  it('list a link even if its events count towards no total or come from unknown visitors', () =>
    insertAll([
      { at: '2026-03-02T12:00:00Z', link: 'grey', type: 'track.progress' },
      { at: '2026-03-30T12:00:00Z', link: 'pink', type: 'track.progress', session: 'five' },
      { at: '2026-03-16T12:00:00Z', link: null },
      { at: '2026-04-30T12:00:00Z', link: 'teal', type: 'track.progress', session: 'six' },
    ]))
})
