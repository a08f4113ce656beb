import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { openDatabase } from '#db/client/connection.ts'
import { accounts } from '#db/schema/accounts.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { type PgBouncer, startPgBouncer } from '#test/support/pgbouncer.ts'

const isInstalled = isInstalledOrSkipped('pgbouncer', 'the tests of read-only connections through a pooler')
const ignored =
  'statement_timeout, idle_in_transaction_session_timeout, default_transaction_read_only, extra_float_digits'
// Each pooler has these options in addition to Debian's defaults. Null means no pooler.
const routes = [
  ['without a pooler', null],
  ['behind a pooler that rejects the settings of a connection', {}],
  ['behind a pooler that ignores the settings of a connection', { ignore_startup_parameters: ignored }],
] as const

// `reader` would reject each of these because of its text. `db` does not check the text, so they reach the server.
const writes = [
  `insert into accounts (id) values ('written')`,
  `update accounts set id = 'changed'`,
  `delete from accounts`,
  `with gone as (delete from accounts returning id) select * from gone`,
  `select id from accounts for update`,
  `select id from accounts for key share`,
  `select nextval('written_numbers')`,
  `select write_account()`,
  `create table written (id text)`,
  `truncate accounts`,
]

describe.each(routes)('a read-only database %s', (_, pooling) => {
  const isSkipped = pooling !== null && !isInstalled
  let test: TestDatabase
  let pooler: PgBouncer | undefined
  let url: string

  beforeAll(async () => {
    test = await createTestDatabase()
    await test.sql`insert into accounts (id) values ('kept')`
    await test.sql`create sequence written_numbers`
    await test.sql`
      create function write_account() returns void language sql as $$ insert into accounts (id) values ('function') $$`
    url = test.directUrl
    if (pooling === null || isSkipped) return
    pooler = await startPgBouncer(inject('databaseServer').url, pooling)
    url = pooler.url.replace(/\/postgres$/, new URL(test.directUrl).pathname)
  })
  afterAll(async () => {
    await pooler?.stop()
    await test.close()
  })

  const open = ({ readOnly = true, connections = 1 } = {}) => {
    const prepare = pooling === null
    const database = openDatabase(url, { readOnly, connections, prepare, statementTimeoutMs: 500 })
    onTestFinished(() => database.close())
    return database
  }
  const codeOf = async (attempt: PromiseLike<unknown>) => {
    try {
      await attempt
      return 'none'
    } catch (error) {
      return Object(Object(error).cause).code
    }
  }
  const accountIds = async () => (await test.sql`select id from accounts order by id`).map(({ id }) => id)

  it.skipIf(isSkipped).each(writes)('rejects a write on the server: %s', async (text) => {
    const { db, isReadOnly } = open()
    expect(isReadOnly).toBe(true)
    expect(await codeOf(db.execute(sql.raw(text)))).toBe('25006')
    expect(await codeOf(db.transaction((tx) => tx.execute(sql.raw(text))))).toBe('25006')
    expect(await accountIds()).toEqual(['kept'])
  })

  it.skipIf(isSkipped)(
    'can still read on a connection that rejected a write, inside and outside transactions',
    async () => {
      const { db, reader } = open()
      const readPid = async () => (await db.execute(sql`select pg_backend_pid() as pid`))[0]!.pid
      const pid = await readPid()
      expect(await codeOf(db.insert(accounts).values({ id: 'written' }))).toBe('25006')
      expect(await reader.select({ id: accounts.id }).from(accounts)).toEqual([{ id: 'kept' }])
      expect(await db.transaction((tx) => tx.select({ id: accounts.id }).from(accounts))).toHaveLength(1)
      expect(await readPid()).toBe(pid)
    },
  )

  it.skipIf(isSkipped)('returns the right rows to each of many concurrent reads', async () => {
    const { db } = open({ connections: 2 })
    const numbers = Array.from({ length: 100 }, (_, index) => index)
    const rows = await Promise.all(numbers.map((n) => db.execute(sql`select ${n}::int as n`)))
    expect(rows.map(([row]) => row!.n)).toEqual(numbers)
  })

  it.skipIf(isSkipped)('stays read-only after losing its connection', async () => {
    const { db } = open()
    const [row] = await db.execute(sql`select pg_backend_pid() as pid`)
    await test.sql`select pg_terminate_backend(${Number(row!.pid)}, 1000)`
    const write = () => codeOf(db.execute(sql`insert into accounts (id) values ('written')`))
    await expect.poll(write).toBe('25006')
    expect(await accountIds()).toEqual(['kept'])
  })

  it.skipIf(isSkipped)('ends a slow read at its timeout', async () => {
    const { db } = open()
    expect(await codeOf(db.execute(sql`select pg_sleep(5)`))).toBe('57014')
    expect(await db.execute(sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  it.skipIf(isSkipped)('leaves other connections writable', async () => {
    await open().db.execute(sql`select 1`)
    const { db } = open({ readOnly: false })
    await db.insert(accounts).values({ id: 'written' })
    await db.delete(accounts).where(sql`id = 'written'`)
    expect(await accountIds()).toEqual(['kept'])
  })

  it.skipIf(isSkipped)('accepts a database URL that requires a writable server', async () => {
    const database = openDatabase(`${url}?target_session_attrs=read-write`, {
      readOnly: true,
      prepare: false,
    })
    onTestFinished(() => database.close())
    expect(await database.db.execute(sql`select 1 as one`)).toEqual([{ one: 1 }])
    expect(await codeOf(database.db.execute(sql`delete from accounts`))).toBe('25006')
  })
})
