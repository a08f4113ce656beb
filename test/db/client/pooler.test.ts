import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { isDatabaseUnavailable, openDatabase } from '#db/client/connection.ts'
import { supportsPreparedStatements } from '#db/client/prepared-statement-check.ts'
import { openQueueDatabase } from '#db/client/queue-database.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { type PgBouncer, startPgBouncer } from '#test/support/pgbouncer.ts'

const isInstalled = isInstalledOrSkipped('pgbouncer', 'the tests of connections through a pooler')
const ignored = 'statement_timeout, idle_in_transaction_session_timeout, extra_float_digits'
const timeoutMs = 400

// Each pooler has these options in addition to Debian's defaults.
const poolers = [
  ['a pooler that rejects the settings of a connection', {}],
  ['a pooler that ignores the settings of a connection', { ignore_startup_parameters: ignored }],
] as const

describe.skipIf(!isInstalled).each(poolers)('a database behind %s', (_, options) => {
  let test: TestDatabase
  let pooler: PgBouncer
  let url: string
  beforeAll(async () => {
    test = await createTestDatabase()
    pooler = await startPgBouncer(inject('databaseServer').url, options)
    url = pooler.url.replace(/\/postgres$/, new URL(test.directUrl).pathname)
  })
  afterAll(async () => {
    await pooler.stop()
    await test.close()
  })

  const open = (connections = 2) => {
    const database = openDatabase(url, { connections, prepare: false, statementTimeoutMs: timeoutMs })
    onTestFinished(() => database.close())
    return database
  }
  const countRunning = async (text: string) => {
    const rows = await test.sql`
      select 1 from pg_stat_activity
      where state <> 'idle' and pid <> pg_backend_pid() and query like ${`%${text}%`}`
    return rows.length
  }

  it('uses UTC, the time zone of the gateway', async () => {
    const [row] = await open().db.execute(sql`select current_setting('TimeZone') as zone`)
    expect(row!.zone).toBe('UTC')
  })

  it('ends a slow statement outside a transaction, on the server too, and keeps the connection', async () => {
    const { db } = open(1)
    const failure = await db.execute(sql`select pg_sleep(60), 'slow-alone'`).catch((error) => error)
    expect(isDatabaseUnavailable(failure)).toBe(true)
    expect(failure.cause).toMatchObject({ code: '57014' })
    await expect.poll(() => countRunning('slow-alone')).toBe(0)
    expect(await db.execute(sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  it("lets the server's own timeout end a slow statement in a transaction", async () => {
    const failure = await open()
      .db.transaction((tx) => tx.execute(sql`select pg_sleep(60), 'slow-inside', ${1}::int`))
      .catch((error) => error)
    expect(failure.cause.message).toBe('canceling statement due to statement timeout')
    await expect.poll(() => countRunning('slow-inside')).toBe(0)
  })

  it('ends a transaction that waits too long for its next statement', async () => {
    const abandoned = open().db.transaction(async (tx) => {
      await tx.execute(sql`select 'abandoned', ${1}::int`)
      await expect.poll(() => countRunning('abandoned'), { timeout: 10_000 }).toBe(0)
      await tx.execute(sql`select 1`)
    })
    expect(isDatabaseUnavailable(await abandoned.catch((error) => error))).toBe(true)
  })

  it("does not carry a transaction's settings over to later transactions", async () => {
    const { db } = open(1)
    await db.transaction((tx) => tx.execute(sql`select 1`))
    const [row] = await db.execute(sql`select current_setting('statement_timeout') as timeout`)
    expect(row!.timeout).toBe('0')
  })

  it('commits a transaction whose inner transaction has failed', async () => {
    const { db } = open()
    await db.transaction(async (tx) => {
      await tx.execute(sql`insert into accounts (id) values ('outer')`)
      await tx.transaction((inner) => inner.execute(sql`select 1 / 0`)).catch(() => undefined)
    })
    expect(await test.sql`select id from accounts`).toEqual([{ id: 'outer' }])
    await test.sql`delete from accounts`
  })

  it('returns the right rows to each caller when many callers share its connections', async () => {
    const { db } = open(2)
    const numbers = Array.from({ length: 200 }, (_, index) => index)
    const rows = await Promise.all(numbers.map((n) => db.execute(sql`select ${n}::int as n`)))
    expect(rows.map(([row]) => row!.n)).toEqual(numbers)
  })

  it('ends every read that waits for a locked table, on the server too', async () => {
    const { db } = open(2)
    await test.sql.begin(async (tx) => {
      await tx`lock table libraries`
      const reads = Array.from({ length: 12 }, () => db.execute(sql`select 'waiting-read' from libraries`))
      for (const outcome of await Promise.allSettled(reads)) expect(outcome.status).toBe('rejected')
      await expect.poll(() => countRunning('waiting-read'), { timeout: 5000 }).toBe(0)
    })
    expect(await db.execute(sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  it('serves the job queues, and rolls back their failed transactions', async () => {
    const queues = openQueueDatabase(url, { ca: undefined, connections: 1, prepare: false })
    onTestFinished(() => queues.close())
    await expect(queues.executeSql('begin; select 1 / 0; commit')).rejects.toThrow('division by zero')
    const list = ['a', 'b"c', 'd\\e', '{f,g}', '', 'NULL', 'null', null]
    const values = [list, { d: [1] }, new Date(0), null]
    const text =
      'select $1::text[] as list, $2::jsonb as json, $3::timestamptz as at, $4::int as none, 2::int8 as large'
    expect(await queues.executeSql(text, values)).toEqual({
      rows: [{ list, json: { d: [1] }, at: new Date(0), none: null, large: '2' }],
    })
  })

  it('accepts lists of numbers, times, JSON and text from the job queues', async () => {
    const queues = openQueueDatabase(url, { ca: undefined, connections: 1, prepare: false })
    onTestFinished(() => queues.close())
    const numbers = [1, null, 3]
    const { rows } = await queues.executeSql(
      'select $1::int[] as numbers, $2::timestamptz[] = array[$4::timestamptz] as is_date, ($3::jsonb[])[1] as json, $5::text[] as none',
      [numbers, [new Date(0)], [{ a: '"' }], new Date(0), []],
    )
    expect(rows).toEqual([{ numbers, is_date: true, json: { a: '"' }, none: [] }])
  })

  it('is recognized as not supporting prepared statements', async () => {
    expect(await supportsPreparedStatements(url, undefined)).toBe(false)
  })
})

describe.skipIf(!isInstalled)('prepared statements', () => {
  it('work without a pooler', async () => {
    expect(await supportsPreparedStatements(inject('databaseServer').url, undefined)).toBe(true)
  })

  it('work through a pooler in session mode, but not in transaction mode', async () => {
    for (const [options, isSupported] of [
      [{ pool_mode: 'session' }, true],
      [{ server_round_robin: 1 }, false],
    ] as const) {
      const pooler = await startPgBouncer(inject('databaseServer').url, options)
      onTestFinished(() => pooler.stop())
      expect(await supportsPreparedStatements(pooler.url, undefined), JSON.stringify(options)).toBe(
        isSupported,
      )
    }
  })
})
