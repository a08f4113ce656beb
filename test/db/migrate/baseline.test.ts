import { describe, expect, it } from 'vitest'
import { readMigrations } from '#db/migrate/migrations.ts'
import { baselineDatabase, migrateDatabase, requireMigratedDatabase } from '#db/migrate.ts'
import { applyFirst, createPlainDatabase } from '#test/support/plain-database.ts'

const names = readMigrations().map(({ name }) => name)
const last = names.at(-1)

/** Creates a database with the tables that the migrations create, as if another tool had created them. */
const createUnrecorded = async () => {
  const database = await createPlainDatabase({ migrated: true })
  await database.sql`drop schema crossfade cascade`
  return database
}

const changes: readonly (readonly [change: string, difference: string])[] = [
  [
    'alter table track_lyrics drop column language',
    'table public.track_lyrics: column language is missing ("text")',
  ],
  [
    'alter table tracks add column mood text not null',
    'table public.tracks: column mood is not created by the migrations ("text not null")',
  ],
  [
    'alter table libraries alter column name type varchar(10)',
    'table public.libraries: column name is "character varying(10) not null" instead of "text not null"',
  ],
  [
    'alter table packs alter column name drop not null',
    'table public.packs: column name is "text" instead of "text not null"',
  ],
  [
    `alter table media_assets alter column status set default 'ready'`,
    `table public.media_assets: column status is "text not null default 'ready'::text" instead of "text not null default 'processing'::text"`,
  ],
  ['drop index tracks_newest_first', 'table public.tracks: index tracks_newest_first is missing'],
  [
    'alter table media_assets drop constraint media_assets_kind',
    'table public.media_assets: constraint media_assets_kind is missing',
  ],
  [
    'drop trigger uploads_object_removal on uploads',
    'table public.uploads: trigger uploads_object_removal is missing',
  ],
  [
    'alter table media_assets disable trigger media_assets_object_removal',
    'table public.media_assets: trigger media_assets_object_removal is "',
  ],
  [
    'create or replace function place_due_retries() returns void as $$ begin end; $$ language plpgsql',
    'function public.place_due_retries(): the definition',
  ],
  ['drop table track_tags', 'table public.track_tags is missing'],
  [
    `alter type pgboss.job_state add value 'paused'`,
    'type pgboss.job_state: the definition is "created, retry, active, completed, cancelled, failed, paused"',
  ],
  [`delete from pgboss.queue where name = 'check-asset'`, 'table pgboss.queue: row check-asset is missing'],
  ['truncate pgboss.version', 'table pgboss.version: row is missing ("43")'],
]

describe('the baseline', () => {
  it('records the migrations as applied in a database that already has their schema', async () => {
    const { url, sql } = await createUnrecorded()
    await sql`insert into libraries (id, owner_id, name, name_key) values ('l', 'acct', 'Demos', 'DEMOS')`
    await expect(migrateDatabase(url)).rejects.toThrow('npm run migrate -- --baseline')

    expect(await baselineDatabase(url)).toEqual({ upTo: last, applied: [] })
    expect(await requireMigratedDatabase(url)).toEqual({ applied: [], unknown: 0 })
    expect(await migrateDatabase(url)).toEqual({ applied: [], unknown: 0 })
    expect(await sql`select id from libraries`).toHaveLength(1)
  })

  it('applies the migrations after the last one that the schema matches', async () => {
    const { url, sql } = await createPlainDatabase()
    await applyFirst(sql, 8)

    expect(await baselineDatabase(url)).toEqual({ upTo: names[7], applied: names.slice(8) })
    expect(await sql`select held, granted from rate_limits`).toEqual([])
    expect(await requireMigratedDatabase(url)).toEqual({ applied: [], unknown: 0 })
  })

  it("ignores unknown tables, another service's migration record, and partitions for other days", async () => {
    const { url, sql } = await createUnrecorded()
    await sql`create table users (id text)`
    await sql`create schema drizzle create table __drizzle_migrations (hash text, created_at bigint)`
    await sql`insert into drizzle.__drizzle_migrations values ('of-the-core', 1700000000000)`
    await sql`create table pgboss.queue_stats_20200101 partition of pgboss.queue_stats
      for values from ('2020-01-01') to ('2020-01-02')`
    expect(await baselineDatabase(url)).toEqual({ upTo: last, applied: [] })
  })

  it('reports every difference by table and column, and changes nothing', async () => {
    const { url, sql } = await createUnrecorded()
    for (const [change] of changes) await sql.unsafe(change)

    const error = await baselineDatabase(url).catch((reason) => reason)
    expect(error.name).toBe('MigrationError')
    for (const [, difference] of changes) expect(error.message).toContain(`\n  ${difference}`)
    expect(error.message.match(/^ {2}\S/gm)).toHaveLength(changes.length)
    expect(error.message).toMatch(/\nnothing was changed: .*$/)
    const spaces = await sql`select nspname from pg_namespace where nspname ~ 'public|drizzle|crossfade'`
    expect(spaces).toEqual([{ nspname: 'public' }])
  })

  it('is refused for a database that lacks the tables or already has a migration record', async () => {
    const empty = await createPlainDatabase()
    await expect(baselineDatabase(empty.url)).rejects.toThrow(
      "has none of the gateway's tables: run npm run migrate",
    )
    const recorded = await createPlainDatabase({ migrated: true })
    await expect(baselineDatabase(recorded.url)).rejects.toThrow('needs no baseline: run npm run migrate')
  })

  it('is refused for a role that cannot compare the schemas', async () => {
    const { url, createRole } = await createUnrecorded()
    const { role, roleUrl } = await createRole()
    await expect(baselineDatabase(roleUrl)).rejects.toThrow(
      new RegExp(`the role "${role}" must own the schemas public .*as the owner of the database$`),
    )
    expect(await baselineDatabase(url)).toEqual({ upTo: last, applied: [] })
  })

  it('does not wait for sessions that use the tables', async () => {
    const { url, sql } = await createUnrecorded()
    await sql.begin(async (tx) => {
      await tx`insert into libraries (id, owner_id, name, name_key) values ('l', 'acct', 'Demos', 'DEMOS')`
      expect(await baselineDatabase(url, undefined, { lockTimeoutMs: 2000 })).toEqual({
        upTo: last,
        applied: [],
      })
    })
  })
})
