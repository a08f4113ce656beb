import postgres from 'postgres'
import { describe, expect, inject, it } from 'vitest'
import { selectRows } from '#db/client/statements.ts'
import { describeStatementError } from '#db/migrate/migration-error.ts'
import { withMigrationLock } from '#db/migrate/migration-lock.ts'
import { readMigrations } from '#db/migrate/migrations.ts'
import { migrateDatabase, requireMigratedDatabase } from '#db/migrate.ts'
import { applyFirst, createPlainDatabase, recordFirst } from '#test/support/plain-database.ts'

const names = readMigrations().map(({ name }) => name)
const upToDate = { applied: [], unknown: 0 }

/** Creates a database without the migrations from 0009 on. Migration 0009 changes the table `rate_limits`. */
const createOlder = async () => {
  const database = await createPlainDatabase()
  await applyFirst(database.sql, 9)
  await recordFirst(database.sql, 9)
  return database
}

const listTables = async (sql: postgres.Sql) =>
  (
    await sql`select table_schema, table_name from information_schema.tables
    where table_schema in ('public', 'crossfade', 'pgboss')`.values()
  ).length

describe('the migrations', () => {
  it('are applied once by instances that start at the same time', async () => {
    const { url, name, sql } = await createPlainDatabase()
    await sql`alter database ${sql(name)} set default_transaction_isolation = 'repeatable read'`
    const results = await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(url)))

    expect(results.filter(({ applied }) => applied.length > 0)).toEqual([{ applied: names, unknown: 0 }])
    const [recorded] =
      await sql`select count(*)::int, count(distinct hash)::int as files from crossfade.migrations`
    expect(recorded).toEqual({ count: names.length, files: names.length })
    const locks = await sql`select pid from pg_locks join pg_database on pg_database.oid = database
      where locktype = 'advisory' and datname = ${name}`
    expect(locks).toEqual([])
  })

  it('change nothing in an up-to-date database, and need no write access to it', async () => {
    const { url, sql, createRole } = await createPlainDatabase({ migrated: true })
    const { role, roleUrl } = await createRole()
    await expect(migrateDatabase(roleUrl)).rejects.toThrow(
      `is not allowed to read crossfade.migrations: GRANT USAGE ON SCHEMA crossfade TO "${role}"; GRANT SELECT ON`,
    )
    await sql`grant usage on schema crossfade to ${sql(role)}`
    await sql`grant select on crossfade.migrations to ${sql(role)}`
    await sql`insert into libraries (id, owner_id, name, name_key) values ('l', 'acct', 'Demos', 'DEMOS')`

    const before = await listTables(sql)
    expect(await migrateDatabase(roleUrl)).toEqual(upToDate)
    expect(await requireMigratedDatabase(roleUrl)).toEqual(upToDate)
    expect(await migrateDatabase(url)).toEqual(upToDate)
    expect(await listTables(sql)).toBe(before)
    expect(await sql`select name from libraries`).toHaveLength(1)
    await sql`drop owned by ${sql(role)}`
  })

  it("are recognized in an earlier version's record, even if another service shares that record", async () => {
    const { url, sql } = await createPlainDatabase()
    await applyFirst(sql, 9)
    await sql`create schema drizzle`
    await sql`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`
    await sql`insert into drizzle.__drizzle_migrations ${sql([
      { hash: 'of-the-core', created_at: '1700000000000' },
      ...readMigrations()
        .slice(0, 9)
        .map(({ hash, createdAt }) => ({ hash, created_at: String(createdAt) })),
    ])}`
    await expect(requireMigratedDatabase(url)).rejects.toThrow(
      `the database lacks the migrations ${names.slice(9).join(', ')}: run npm run migrate`,
    )
    expect(await migrateDatabase(url)).toEqual({ applied: names.slice(9), unknown: 0 })
    expect(await sql`select created_at from crossfade.migrations order by 1`.values()).toEqual(
      readMigrations().map(({ createdAt }) => [String(createdAt)]),
    )
    expect(await sql`select from drizzle.__drizzle_migrations`).toHaveLength(10)
    expect(await migrateDatabase(url)).toEqual(upToDate)
  })

  it('need no write access to an up-to-date database that an earlier version migrated', async () => {
    const { url, sql, createRole } = await createPlainDatabase({ migrated: true })
    await sql`create schema drizzle`
    await sql`alter table crossfade.migrations set schema drizzle`
    await sql`alter table drizzle.migrations rename to __drizzle_migrations`
    await sql`drop schema crossfade`
    const { role, roleUrl } = await createRole()
    await sql`grant usage on schema drizzle to ${sql(role)}`
    await sql`grant select on drizzle.__drizzle_migrations to ${sql(role)}`
    expect(await migrateDatabase(roleUrl)).toEqual(upToDate)
    expect(await migrateDatabase(url)).toEqual(upToDate)
    await sql`drop owned by ${sql(role)}`
  })

  it('are accepted if a newer version applied them', async () => {
    const { url, sql } = await createPlainDatabase({ migrated: true })
    await sql`insert into crossfade.migrations (hash, created_at) values ('newer', 9999999999999)`
    expect(await migrateDatabase(url)).toEqual({ applied: [], unknown: 1 })
    expect(await requireMigratedDatabase(url)).toEqual({ applied: [], unknown: 1 })

    await sql`delete from crossfade.migrations
      where created_at = (select min(created_at) from crossfade.migrations)`
    await expect(migrateDatabase(url)).rejects.toThrow(
      `the database lacks ${names[0]} but has 1 migration that this version does not know`,
    )
  })

  it('cause an error if some are missing and the process does not apply them', async () => {
    const { url, sql } = await createOlder()
    const before = await listTables(sql)
    await expect(requireMigratedDatabase(url)).rejects.toThrow(
      `the database lacks the migrations ${names.slice(9).join(', ')}: run npm run migrate`,
    )
    expect(await listTables(sql)).toBe(before)
    expect(await migrateDatabase(url)).toEqual({ applied: names.slice(9), unknown: 0 })
    expect(await requireMigratedDatabase(url)).toEqual(upToDate)
  })

  it('wait until another instance has migrated, or name it in an error after the timeout', async () => {
    const { url, sql } = await createPlainDatabase()
    const [holder] = await sql.begin(async (tx) => {
      const rows = await tx`select pg_backend_pid() as pid, pg_advisory_xact_lock(7466932501)`
      await expect(migrateDatabase(url, undefined, { lockTimeoutMs: 200 })).rejects.toThrow(
        new RegExp(
          `^another instance has been migrating the database since 20\\S+Z and did not finish within 0.2 s \\(process ${rows[0]!.pid} `,
        ),
      )
      return rows
    })
    expect(holder).toBeDefined()
    expect(await migrateDatabase(url)).toEqual({ applied: names, unknown: 0 })
  })

  it('lose their locks after a minute if their process hangs', async () => {
    const { sql } = await createPlainDatabase()
    const [timeout] = await withMigrationLock(sql, 1000, (tx) =>
      selectRows(tx, 'show idle_in_transaction_session_timeout'),
    )
    expect(timeout).toEqual({ idle_in_transaction_session_timeout: '1min' })
  })

  it('do not block reads of a table while they wait for its lock', async () => {
    const { url, sql } = await createOlder()
    const migrating = await sql.begin(async (tx) => {
      await tx`lock table rate_limits in access share mode`
      const attempt = migrateDatabase(url)
      await expect
        .poll(() => sql`select from pg_locks where not granted and relation = 'rate_limits'::regclass`, {
          timeout: 10_000,
        })
        .toHaveLength(1)
      await sql`select from rate_limits`
      return { attempt }
    })
    expect(await migrating.attempt).toEqual({ applied: names.slice(9), unknown: 0 })
  }, 30_000)

  it('are applied completely or not at all if the connection is lost', async () => {
    const { url, sql } = await createOlder()
    const migration = await sql.begin(async (tx) => {
      await tx`lock table rate_limits`
      const attempt = migrateDatabase(url).catch((error) => error)
      await expect
        .poll(
          () => sql`select pg_terminate_backend(pid) from pg_locks
          where not granted and relation = 'rate_limits'::regclass`,
          { timeout: 10_000 },
        )
        .toHaveLength(1)
      return { error: await attempt }
    })
    expect(migration.error).toBeInstanceOf(Error)
    await expect(requireMigratedDatabase(url)).rejects.toThrow('the database lacks the migrations')
    expect(await migrateDatabase(url)).toEqual({ applied: names.slice(9), unknown: 0 })
  })

  it('report a database that does not exist', async () => {
    await expect(migrateDatabase(new URL('/nowhere', inject('databaseServer').url).href)).rejects.toThrow(
      'database "nowhere" does not exist',
    )
  })
})

describe('a failing migration', () => {
  const failureOf = async (url: string) => {
    const error = await migrateDatabase(url, undefined, { lockTimeoutMs: 200 }).catch((reason) => reason)
    expect(error.name).toBe('MigrationError')
    expect(error.message).toMatch(/^db\/migrations\/\d{4}_[\w-]+\.sql failed/)
    expect(error.message).not.toMatch(/\n|se-kr-et/)
    return error.message
  }

  it('reports a table that already exists, and changes nothing', async () => {
    const { url, sql } = await createPlainDatabase()
    await sql`create table uploads (id text)`
    expect(await failureOf(url)).toBe(
      `db/migrations/${names[1]}.sql failed at the table uploads: relation "uploads" already exists (42P07); nothing was changed; if its tables were created without these migrations, run npm run migrate -- --baseline to adopt them`,
    )
    expect(await listTables(sql)).toBe(1)
  })

  it('reports the privileges that the role lacks', async () => {
    const { createRole, name } = await createPlainDatabase()
    const { role, roleUrl } = await createRole()
    expect(await failureOf(roleUrl)).toMatch(
      new RegExp(
        `permission denied for database ${name} \\(42501\\); nothing was changed; run npm run migrate as the owner of the tables, .*: GRANT CREATE ON DATABASE "${name}" TO "${role}"; GRANT CREATE ON SCHEMA public TO "${role}"$`,
      ),
    )
  })

  it('reports a table that another session has locked', async () => {
    const { url, sql } = await createOlder()
    await sql.begin(async (tx) => {
      await tx`lock table rate_limits in access share mode`
      expect(await failureOf(url)).toContain(
        `${names[9]}.sql failed at the table rate_limits: canceling statement due to lock timeout (55P03); nothing was changed; another session is using the table`,
      )
    })
  })

  it('can be run again after a deadlock, and says so', () => {
    const error = Object.assign(new postgres.PostgresError(''), {
      message: 'deadlock detected',
      code: '40P01',
    })
    const identity = { user: 'app', database: 'app' }
    expect(
      describeStatementError(error, '0010_change', 'alter table tracks add x int', identity),
    ).toMatchObject({
      message:
        'db/migrations/0010_change.sql failed at the table tracks: deadlock detected (40P01); nothing was changed; other sessions lock the same tables in a different order: start again',
      isTransient: true,
    })
  })

  it('reports a read-only database', async () => {
    const { url, name, sql } = await createPlainDatabase()
    await sql`alter database ${sql(name)} set default_transaction_read_only = on`
    expect(await failureOf(url)).toMatch(
      /\(25006\); nothing was changed; the database is read-only: set DATABASE_URL/,
    )
  })

  it('does not print values from rows', async () => {
    const { url, sql } = await createOlder()
    await sql.unsafe(`create function reject() returns event_trigger
      as $$ begin perform 'row-value'::int; end $$ language plpgsql`)
    await sql`create event trigger reject on ddl_command_start execute function reject()`
    const message = await failureOf(url)
    expect(message).toContain('failed at the table rate_limits (22P02)')
    expect(message).not.toContain('row-value')
  })
})
