import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const migration = readFileSync(
  new URL('../../../db/migrations/0018_counts-of-all-routes.sql', import.meta.url),
  'utf8',
)

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

it('migration 0018 stores the totals for all routes together', async () => {
  const { sql } = database
  await sql`
    insert into route_counts (label, interval_start, instance_id, native2xx, native3xx, native4xx, native5xx,
      core2xx, core3xx, core4xx, core5xx)
    select label, '2026-01-02T03:00Z', instance, 1, 2, 3, 4, 5, 6, 7, 8
    from unnest('{tracks.list,packs.list,billing.status}'::text[]) as label, unnest('{a,b}'::text[]) as instance`
  await sql`
    insert into route_counts_daily (day, label, native2xx, native3xx, native4xx, native5xx,
      core2xx, core3xx, core4xx, core5xx)
    select '2025-01-02', label, 3000000000, 0, 0, 1, 0, 0, 0, 2
    from unnest('{tracks.list,packs.list}'::text[]) as label`
  for (const statement of migration.split('--> statement-breakpoint')) await sql.unsafe(statement)
  expect(
    await sql`select instance_id, native2xx, core5xx from route_counts where label = '*' order by 1`,
  ).toEqual([
    { instance_id: 'a', native2xx: 3, core5xx: 24 },
    { instance_id: 'b', native2xx: 3, core5xx: 24 },
  ])
  expect(await sql`select native2xx, core5xx from route_counts_daily where label = '*'`).toEqual([
    { native2xx: '6000000000', core5xx: '4' },
  ])
})
