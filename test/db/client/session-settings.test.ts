import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openDatabase } from '#db/client/connection.ts'
import { openSubscription } from '#db/client/listen.ts'
import { openQueueDatabase } from '#db/client/queue-database.ts'
import { migrateDatabase } from '#db/migrate.ts'
import { isThorough } from '#test/support/count-cases.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { type PgBouncer, startPgBouncer } from '#test/support/pgbouncer.ts'

const isPoolerInstalled = isInstalledOrSkipped('pgbouncer', 'the tests of session settings behind a pooler')

const ignored =
  `statement_timeout, idle_in_transaction_session_timeout, default_transaction_read_only, array_nulls,
  bytea_output, default_transaction_isolation, extra_float_digits, IntervalStyle, row_security, search_path,
  transform_null_equals`.replace(/\s+/g, '')

const changed = (['database', 'role'] as const).flatMap((of) => [
  { of, path: 'directly', pooler: null },
  { of, path: 'behind a pooler that rejects settings', pooler: {} },
  { of, path: 'behind a pooler that ignores settings', pooler: { ignore_startup_parameters: ignored } },
  { of, path: 'behind a pooler in session mode', pooler: { pool_mode: 'session' } },
])

// Values that a wrong setting would change, at least one of each type.
const sent = {
  at: '2026-12-05T23:59:59.123Z',
  day: '2026-12-05',
  bytes: Uint8Array.from({ length: 517 }, (_, index) => index % 256),
  float: 0.1 + 0.2,
  small: 5e-324,
  json: { text: 'a\\b\'c"ü€', number: 1.5, none: null },
  text: "back\\slash 'quote' ü € 🎵",
}
const roundTrip = sql`select ${sent.at}::timestamptz as at, ${sent.day}::date as day,
  ${sent.bytes}::bytea as bytes, ${sent.float}::float8 as float, ${sent.small}::float8 as small,
  ${JSON.stringify(sent.json)}::jsonb as json, ${sent.text}::text as text, 'a\\b' as literal,
  (interval '-1 day 2 hours 3.5 seconds')::text as duration, '{a,NULL}'::text[] as list,
  to_regclass('libraries') is not null as has_tables, current_setting('transaction_isolation') as isolation,
  current_setting('row_security') as security, (null = null) is null as is_unknown`
const received = {
  at: '2026-12-05 23:59:59.123+00',
  day: '2026-12-05',
  bytes: Buffer.from(sent.bytes),
  float: sent.float,
  small: sent.small,
  json: sent.json,
  text: sent.text,
  literal: 'a\\b',
  duration: '-1 days +02:00:03.5',
  list: '{a,NULL}',
  has_tables: true,
  isolation: 'read committed',
  security: 'on',
  is_unknown: true,
}

// A role's settings reach a session the same way as a database's, so the everyday tests do not try them with poolers.
const tried = isThorough ? changed : changed.filter(({ of, pooler }) => of === 'database' || pooler === null)

describe.each(tried)('a database with unusual $of settings, $path', ({ of, pooler: options }) => {
  const isSkipped = options !== null && !isPoolerInstalled
  let pooler: PgBouncer | undefined
  let test: TestDatabase
  beforeAll(async () => {
    if (isSkipped) return
    pooler = options ? await startPgBouncer(inject('databaseServer').url, options) : undefined
    test = await createTestDatabase({ changedSettings: of, poolerUrl: pooler?.url })
  })
  afterAll(async () => {
    await test?.close()
    await pooler?.stop()
  })

  it.skipIf(isSkipped)('returns every type of value as sent, inside and outside transactions', async () => {
    expect(await test.db.execute(roundTrip)).toEqual([received])
    expect(await test.db.transaction((tx) => tx.execute(roundTrip))).toEqual([received])
  })

  it.skipIf(isSkipped)('returns the same values in read-only mode, and rejects writes', async () => {
    const reading = openDatabase(test.url, { connections: 1, prepare: test.prepare, readOnly: true })
    try {
      expect(await reading.db.execute(roundTrip)).toEqual([received])
      const failure = await reading.db.execute(sql`delete from libraries`).catch((error) => error)
      expect(failure.cause).toMatchObject({ code: '25006' })
    } finally {
      await reading.close()
    }
  })

  it.skipIf(isSkipped)('does not change the settings of other clients', async () => {
    const other = postgres(test.url, { max: 1, prepare: false, fetch_types: false })
    const read = () => other`select name, setting from pg_settings
      where name in ('bytea_output', 'default_transaction_isolation', 'row_security', 'search_path') order by name`
    await Promise.all(Array.from({ length: 8 }, () => test.db.transaction((tx) => tx.execute(roundTrip))))
    const settings = await Promise.all(Array.from({ length: 8 }, read))
    for (const rows of settings)
      expect(rows.map(({ setting }) => setting)).toEqual(['escape', 'serializable', 'off', 'elsewhere'])
    await other.end({ timeout: 1 })
  })

  it.skipIf(isSkipped)('serves the job queues, whether they send one statement or several', async () => {
    const queues = openQueueDatabase(test.url, { ca: undefined, connections: 1, prepare: test.prepare })
    try {
      const list = ['a', null, 'b\\c']
      const at = new Date('2026-12-05T00:00:00.000Z')
      const one = await queues.executeSql(
        `select $1::text[] as list, $2::timestamptz as at, 'a\\b' as literal,
          current_setting('transaction_isolation') as isolation`,
        [list, at],
      )
      expect(one.rows).toEqual([{ list, at, literal: 'a\\b', isolation: 'read committed' }])
      const text = `select current_setting('transaction_isolation') as isolation, '{a,NULL}'::text[] as list`
      const several = { isolation: 'read committed', list: ['a', null] }
      expect((await queues.executeSql(`begin; ${text}; commit`)).rows).toEqual([several])
      expect((await queues.executeSql(`${text}; ${text}`)).rows).toEqual([several, several])
      await expect(queues.executeSql('begin; select 1 / 0; commit')).rejects.toThrow('division by zero')
      expect((await queues.executeSql(text)).rows).toEqual([several])
    } finally {
      await queues.close()
    }
  })

  it.skipIf(isSkipped)('is migrated like any other database', async () => {
    const empty = await createTestDatabase({ isMigrated: false, changedSettings: of, poolerUrl: pooler?.url })
    try {
      const { applied } = await migrateDatabase(empty.url)
      expect(applied).not.toEqual([])
      const describe = (database: TestDatabase) => database.sql`
        select table_name, column_name, data_type, column_default from information_schema.columns
        where table_schema = 'public' order by 1, 2`
      expect([...(await describe(empty))]).toEqual([...(await describe(test))])
    } finally {
      await empty.close()
    }
  })

  it.skipIf(isSkipped || options !== null)('delivers notifications', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const subscription = openSubscription(test.url, {
      channel: 'settings',
      onNotify: (payload) => {
        if (payload === null) test.sql.notify('settings', 'ü€').catch(() => undefined)
        else resolve(payload)
      },
    })
    subscription.reconnect()
    expect(await promise).toBe('ü€')
    await subscription.close()
  })
})
