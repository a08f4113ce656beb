import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { dayMs, eventsFrom, type RollupEvent, randomFrom, start } from './random-events.ts'

const readBackfill = async (migration: string, firstStatement: string) => {
  const text = await readFile(join(import.meta.dirname, '../../db/migrations', `${migration}.sql`), 'utf8')
  return text.slice(text.indexOf(firstStatement)).replaceAll('--> statement-breakpoint', '')
}

describe('engagement rollups', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())

  const insert = (events: readonly RollupEvent[]) =>
    database.sql`insert into engagement_events ${database.sql([...events])}`

  const countedByDay = () => database.sql`
    with counted as (
      select unnest(array['owner', 'pack', 'track']) as kind, unnest(array[owner_id, pack_id, track_id]) as thing,
        unnest(array['', coalesce(link_id, ''), coalesce(link_id, '')]) as link, *
      from engagement_events)
    select kind, thing, link, (occurred_at at time zone 'UTC')::date::text as day,
      count(*) filter (where type like '%.viewed')::int as views,
      count(*) filter (where type like '%.played')::int as plays,
      count(*) filter (where type like '%.downloaded')::int as downloads,
      count(*) filter (where type like '%.shared')::int as shares
    from counted where thing is not null group by 1, 2, 3, 4 order by 1, 2, 3, 4`

  const rolledUpByDay = () => database.sql`
    select subject_kind as kind, subject_id as thing, link_id as link, day::text, views, plays, downloads, shares
    from engagement_days order by 1, 2, 3, 4`

  const visitorsBetween = async (from: string, to: string) => {
    const [counted] = await database.sql`
      select count(distinct (coalesce(link_id, ''), coalesce('s' || session_id, 'v' || visitor_id)))
        filter (where coalesce(session_id, visitor_id) is not null)::int as visitors
      from engagement_events
      where pack_id = 'pack' and (occurred_at at time zone 'UTC')::date between ${from} and ${to}`
    const [rolledUp] = await database.sql`
      select coalesce(sum(visitors), 0)::int as visitors from engagement_returns
      where subject_kind = 'pack' and subject_id = 'pack' and day between ${from} and ${to} and last_day < ${from}`
    return [rolledUp!.visitors, counted!.visitors]
  }

  it('agree with the events themselves, even with concurrent writers and events that arrive days late', async () => {
    await Promise.all(
      Array.from({ length: 24 }, (_, seed) => insert(eventsFrom(seed + 1, seed % 3 === 0 ? 1 : 40))),
    )
    expect(await rolledUpByDay()).toEqual(await countedByDay())

    const below = randomFrom(7)
    for (let round = 0; round < 40; round++) {
      const from = start + below(480) * dayMs
      const day = (time: number) => new Date(time).toISOString().slice(0, 10)
      const span = day(from + below(366) * dayMs)
      const [rolledUp, counted] = await visitorsBetween(day(from), span)
      expect(rolledUp, `${day(from)} to ${span}`).toBe(counted)
    }
  })

  it('are filled from events recorded before the rollups existed', async () => {
    const backfill = await readBackfill('0005_engagement-rollups-and-rate-limits', 'LOCK TABLE')
    const before = [await rolledUpByDay(), await visitorsBetween('2026-02-01', '2026-11-01')]
    await database.sql.begin(async (tx) => {
      await tx`truncate engagement_links, engagement_days, engagement_sources, engagement_visits, engagement_returns,
        engagement_months, engagement_totals`
      await tx.unsafe(backfill)
    })
    expect([await rolledUpByDay(), await visitorsBetween('2026-02-01', '2026-11-01')]).toEqual(before)
  })

  it('agree with the months and totals that the migration computes from the days', async () => {
    const backfill = await readBackfill(
      '0020_engagement-months-and-totals',
      'INSERT INTO "engagement_totals"',
    )
    const readAll = () => database.sql`
      select to_jsonb(months) as row from engagement_months months
      union all select to_jsonb(totals) from engagement_totals totals order by row`
    const before = await readAll()
    expect(before.length).toBeGreaterThan(500)
    await database.sql.begin(async (tx) => {
      await tx`truncate engagement_months, engagement_totals`
      await tx.unsafe(backfill)
    })
    expect(await readAll()).toEqual(before)
  })

  it('contain neither session ids nor visitor ids', async () => {
    const [{ visits }] = (await database.sql`
      select string_agg(encode(visitor, 'escape'), ' ') as visits
      from engagement_visits`) as unknown as [{ visits: string }]
    expect(visits.length).toBeGreaterThan(100)
    expect(visits).not.toMatch(/session|visitor/)
  })

  it("count a day's first fifty sources separately and the rest together", async () => {
    const [like] = eventsFrom(99, 1)
    const named = (source: string) => ({
      ...like!,
      id: crypto.randomUUID(),
      pack_id: 'noisy',
      type: 'pack.viewed',
      source,
    })
    await insert([named('known')])
    await insert(Array.from({ length: 150 }, (_, n) => named(`noise-${n}`)))
    await insert([named('known'), named('late')])
    const sources = await database.sql`
      select source, views from engagement_sources where subject_kind = 'pack' and subject_id = 'noisy'`
    const viewsOf = (source: string) => sources.find((row) => row.source === source)?.views
    expect(sources).toHaveLength(51)
    expect([viewsOf('known'), viewsOf('late'), viewsOf('other')]).toEqual([2, undefined, 102])
  })
})
