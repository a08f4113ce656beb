import { once } from 'node:events'
import { createServer } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, isDatabaseUnavailable, openDatabase, type Queryable } from '#db/client/connection.ts'
import { accounts } from '#db/schema/accounts.ts'
import { libraries } from '#db/schema/libraries.ts'
import { freshDatabase, type TestDatabase } from '#test/support/database.ts'

const failureOf = async (attempt: Promise<unknown>) => {
  const outcome = await attempt.then(
    () => 'it succeeded',
    (error: unknown) => error,
  )
  if (!(outcome instanceof Error)) throw new Error(String(outcome))
  return outcome
}

const sessionOf = async (db: Queryable) => {
  const [row] = await db.execute(sql`select pg_backend_pid() as pid`)
  return Number(row!.pid)
}

describe('a database', () => {
  let test: TestDatabase
  let database: Database

  beforeAll(async () => {
    test = await freshDatabase()
    database = openDatabase(test.url, { connections: 2, statementTimeoutMs: 500 })
  })
  afterAll(async () => {
    await database.close()
    await test.close()
  })

  const endSession = (pid: number) => test.sql`select pg_terminate_backend(${pid}, 1000)`
  const accountIds = async () => (await test.sql`select id from accounts order by id`).map((row) => row.id)

  it('gives moments to the millisecond in UTC and takes them back', async () => {
    const createdAt = '2025-01-31T23:59:59.120Z'
    const [row] = await database.db.insert(accounts).values({ id: 'moment', createdAt }).returning()
    expect(row!.createdAt).toBe(createdAt)
    expect(row!.updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    await test.sql`update accounts set created_at = '0001-01-01T01:00:00+01' where id = 'moment'`
    expect((await database.db.select().from(accounts))[0]!.createdAt).toBe('0001-01-01T00:00:00.000Z')
    await test.sql`delete from accounts`
  })

  it('rolls a transaction back when its work throws, and says why', async () => {
    const refusal = new Error('no')
    const failure = await failureOf(
      database.db.transaction(async (tx) => {
        await tx.insert(accounts).values({ id: 'rolled-back' })
        throw refusal
      }),
    )
    expect(failure).toBe(refusal)
    expect(await accountIds()).toEqual([])
  })

  it('keeps the outer part of a transaction when its inner part fails', async () => {
    await database.db.transaction(async (tx) => {
      await tx.insert(accounts).values({ id: 'outer' })
      await failureOf(
        tx.transaction((inner) => inner.insert(accounts).values([{ id: 'inner' }, { id: 'outer' }])),
      )
    })
    expect(await accountIds()).toEqual(['outer'])
    await test.sql`delete from accounts`
  })

  it('lets no statement of a transaction through whose connection was lost between two of them', async () => {
    let late: Error | undefined
    const failure = await failureOf(
      database.db.transaction(async (tx) => {
        await tx.insert(accounts).values({ id: 'before' })
        await endSession(await sessionOf(tx))
        await Promise.all([sessionOf(database.db), sessionOf(database.db)])
        late = await failureOf(tx.insert(accounts).values({ id: 'after' }))
        throw late
      }),
    )
    await expect.poll(() => late).toBeInstanceOf(Error)
    expect(isDatabaseUnavailable(failure)).toBe(true)
    expect(await accountIds()).toEqual([])
  })

  it('lets no statement through after one during which the connection was lost', async () => {
    const failure = await failureOf(
      database.db.transaction(async (tx) => {
        const pid = await sessionOf(tx)
        const slow = failureOf(tx.execute(sql`select pg_sleep(0.4)`))
        await endSession(pid)
        expect(isDatabaseUnavailable(await slow)).toBe(true)
        await tx.insert(accounts).values({ id: 'after' })
      }),
    )
    expect(isDatabaseUnavailable(failure)).toBe(true)
    expect(await accountIds()).toEqual([])
  })

  it('works on after each of its connections was lost', async () => {
    const [first, second] = await Promise.all([
      database.db.transaction(sessionOf),
      database.db.transaction(sessionOf),
    ])
    await Promise.all([endSession(first), endSession(second)])
    await expect.poll(() => database.isReachable()).toBe(true)
    expect(await Promise.all([1, 2, 3, 4].map(() => sessionOf(database.db)))).toHaveLength(4)
  })

  it('ends a statement that runs too long, and a transaction that does nothing for as long', async () => {
    expect(isDatabaseUnavailable(await failureOf(database.db.execute(sql`select pg_sleep(5)`)))).toBe(true)
    const idle = database.db.transaction((tx) => sessionOf(tx).then(() => new Promise(() => undefined)))
    expect(isDatabaseUnavailable(await failureOf(idle))).toBe(true)
  })

  it('refuses a query that finds no connection free within two seconds', async () => {
    const busy = openDatabase(test.url, { connections: 1, statementTimeoutMs: 5000 })
    const slow = busy.db.execute(sql`select pg_sleep(2.3)`).execute()
    const started = performance.now()
    const failure = await failureOf(busy.db.execute(sql`insert into accounts (id) values ('too-late')`))
    expect(isDatabaseUnavailable(failure)).toBe(true)
    expect(performance.now() - started).toBeLessThan(2400)
    await slow
    expect(await accountIds()).toEqual([])
    await busy.close()
  })

  it('tells an absent table from a wrong value', async () => {
    expect(isDatabaseUnavailable(await failureOf(database.db.execute(sql`select * from absent`)))).toBe(true)
    const values = { id: 'twice', ownerId: 'acct', name: 'Demos', nameKey: 'DEMOS' }
    await database.db.insert(libraries).values(values)
    expect(
      isDatabaseUnavailable(await failureOf(database.db.insert(libraries).values(values).execute())),
    ).toBe(false)
    expect(isDatabaseUnavailable(new Error('connect', { cause: { code: 'ECONNREFUSED' } }))).toBe(false)
  })

  it('fails soon where a server takes the connection and never says a word', async () => {
    const mute = createServer().listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const address = mute.address()
    const port = typeof address === 'object' ? address?.port : 0
    const silent = openDatabase(`postgres://postgres:x@127.0.0.1:${port}/postgres`)
    const started = performance.now()
    const failures = await Promise.all([1, 2, 3].map(() => failureOf(silent.db.execute(sql`select 1`))))
    expect(failures.every(isDatabaseUnavailable)).toBe(true)
    expect(performance.now() - started).toBeLessThan(2500)
    await silent.close()
    mute.close()
  })
})
