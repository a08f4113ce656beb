import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const migrationFile = join(
  import.meta.dirname,
  '../../db/migrations/0005_engagement-rollups-and-rate-limits.sql',
)

const types = [
  'pack.viewed',
  'track.viewed',
  'track.played',
  'pack.played',
  'track.progress',
  'track.downloaded',
  'pack.shared',
  'track.shared',
]

// Seeded, so that a failure can be reproduced.
const randomFrom = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const dayMs = 86_400_000
const start = Date.parse('2026-01-01T12:00:00Z')

type RollupEvent = Readonly<Record<string, string | null>>

const eventsFrom = (seed: number, count: number): RollupEvent[] => {
  const below = randomFrom(seed)
  const oneOf = <T>(...choices: T[]) => choices[below(choices.length)]!
  return Array.from({ length: count }, () => ({
    id: crypto.randomUUID(),
    owner_id: 'acct_owner',
    type: oneOf(...types),
    occurred_at: new Date(start + below(500) * dayMs).toISOString(),
    pack_id: oneOf('pack', 'pack', 'other', null),
    track_id: oneOf('one', 'two', null),
    link_kind: 'pack',
    link_id: oneOf('red', 'blue', null),
    source: oneOf('mail', 'press', 'radio', null),
    session_id: oneOf(...Array.from({ length: 12 }, (_, n) => `session-${n}`), null),
    visitor_id: oneOf('visitor-1', 'visitor-2', null),
  }))
}

describe('engagement roll-ups', () => {
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

  it('agree with counts from the events, for concurrent writers and for events that arrive days late', async () => {
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

  it('are filled from events recorded before the roll-ups existed', async () => {
    const migration = await readFile(migrationFile, 'utf8')
    const backfill = migration
      .slice(migration.indexOf('LOCK TABLE'))
      .replaceAll('--> statement-breakpoint', '')
    const before = [await rolledUpByDay(), await visitorsBetween('2026-02-01', '2026-11-01')]
    await database.sql.begin(async (tx) => {
      await tx`truncate engagement_links, engagement_days, engagement_sources, engagement_visits, engagement_returns`
      await tx.unsafe(backfill)
    })
    expect([await rolledUpByDay(), await visitorsBetween('2026-02-01', '2026-11-01')]).toEqual(before)
  })

  it('contain neither session ids nor visitor ids', async () => {
    const [{ visits }] = (await database.sql`
      select string_agg(encode(visitor, 'escape'), ' ') as visits
      from engagement_visits`) as unknown as [{ visits: string }]
    expect(visits.length).toBeGreaterThan(100)
    expect(visits).not.toMatch(/session|visitor/)
  })

  it('count fifty sources of a day separately and the others together', async () => {
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
