import { once } from 'node:events'
import { createServer } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, isDatabaseUnavailable, openDatabase, type Queryable } from '#db/client/connection.ts'
import { accounts } from '#db/schema/accounts.ts'
import { libraries } from '#db/schema/libraries.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const catchError = async (attempt: Promise<unknown>) => {
  const outcome = await attempt.then(
    () => 'it succeeded',
    (error: unknown) => error,
  )
  if (!(outcome instanceof Error)) throw new Error(String(outcome))
  return outcome
}

const readBackendPid = async (db: Queryable) => {
  const [row] = await db.execute(sql`select pg_backend_pid() as pid`)
  return Number(row!.pid)
}

describe('a database', () => {
  let test: TestDatabase
  let database: Database

  beforeAll(async () => {
    test = await createTestDatabase()
    database = openDatabase(test.url, { connections: 2, statementTimeoutMs: 500 })
  })
  afterAll(async () => {
    await database.close()
    await test.close()
  })

  const endSession = (pid: number) => test.sql`select pg_terminate_backend(${pid}, 1000)`
  const accountIds = async () => (await test.sql`select id from accounts order by id`).map((row) => row.id)

  it('returns timestamps in UTC with milliseconds, and accepts them back', async () => {
    const createdAt = '2025-01-31T23:59:59.120Z'
    const [row] = await database.db.insert(accounts).values({ id: 'moment', createdAt }).returning()
    expect(row!.createdAt).toBe(createdAt)
    expect(row!.updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    await test.sql`update accounts set created_at = '0001-01-01T01:00:00+01' where id = 'moment'`
    expect((await database.db.select().from(accounts))[0]!.createdAt).toBe('0001-01-01T00:00:00.000Z')
    await test.sql`delete from accounts`
  })

  it('rolls back a transaction that throws, and rethrows its error', async () => {
    const workError = new Error('no')
    const failure = await catchError(
      database.db.transaction(async (tx) => {
        await tx.insert(accounts).values({ id: 'rolled-back' })
        throw workError
      }),
    )
    expect(failure).toBe(workError)
    expect(await accountIds()).toEqual([])
  })

  it('keeps the outer part of a transaction if its inner part fails', async () => {
    await database.db.transaction(async (tx) => {
      await tx.insert(accounts).values({ id: 'outer' })
      await catchError(
        tx.transaction((inner) => inner.insert(accounts).values([{ id: 'inner' }, { id: 'outer' }])),
      )
    })
    expect(await accountIds()).toEqual(['outer'])
    await test.sql`delete from accounts`
  })

  it('runs no more statements of a transaction that loses its connection between statements', async () => {
    let late: Error | undefined
    const failure = await catchError(
      database.db.transaction(async (tx) => {
        await tx.insert(accounts).values({ id: 'before' })
        await endSession(await readBackendPid(tx))
        await Promise.all([readBackendPid(database.db), readBackendPid(database.db)])
        late = await catchError(tx.insert(accounts).values({ id: 'after' }))
        throw late
      }),
    )
    await expect.poll(() => late).toBeInstanceOf(Error)
    expect(isDatabaseUnavailable(failure)).toBe(true)
    expect(await accountIds()).toEqual([])
  })

  it('runs no more statements of a transaction that loses its connection during a statement', async () => {
    const failure = await catchError(
      database.db.transaction(async (tx) => {
        const pid = await readBackendPid(tx)
        const slow = catchError(tx.execute(sql`select pg_sleep(0.4)`))
        await endSession(pid)
        expect(isDatabaseUnavailable(await slow)).toBe(true)
        await tx.insert(accounts).values({ id: 'after' })
      }),
    )
    expect(isDatabaseUnavailable(failure)).toBe(true)
    expect(await accountIds()).toEqual([])
  })

  it('recovers after losing all of its connections', async () => {
    const [first, second] = await Promise.all([
      database.db.transaction(readBackendPid),
      database.db.transaction(readBackendPid),
    ])
    await Promise.all([endSession(first), endSession(second)])
    await expect.poll(() => database.isReachable()).toBe(true)
    expect(await Promise.all([1, 2, 3, 4].map(() => readBackendPid(database.db)))).toHaveLength(4)
  })

  it('ends slow statements and idle transactions after their timeout', async () => {
    expect(isDatabaseUnavailable(await catchError(database.db.execute(sql`select pg_sleep(5)`)))).toBe(true)
    const idle = database.db.transaction((tx) => readBackendPid(tx).then(() => new Promise(() => undefined)))
    expect(isDatabaseUnavailable(await catchError(idle))).toBe(true)
  })

  it('rejects a query if no connection becomes free within two seconds', async () => {
    const busy = openDatabase(test.url, { connections: 1, statementTimeoutMs: 5000 })
    const slow = busy.db.execute(sql`select pg_sleep(2.3)`).execute()
    const started = performance.now()
    const failure = await catchError(busy.db.execute(sql`insert into accounts (id) values ('too-late')`))
    expect(isDatabaseUnavailable(failure)).toBe(true)
    expect(performance.now() - started).toBeLessThan(2400)
    await slow
    expect(await accountIds()).toEqual([])
    await busy.close()
  })

  it('counts as unavailable if a table is missing, but not if a statement violates a constraint', async () => {
    expect(isDatabaseUnavailable(await catchError(database.db.execute(sql`select * from absent`)))).toBe(true)
    const values = { id: 'twice', ownerId: 'acct', name: 'Demos', nameKey: 'DEMOS' }
    await database.db.insert(libraries).values(values)
    expect(
      isDatabaseUnavailable(await catchError(database.db.insert(libraries).values(values).execute())),
    ).toBe(false)
    expect(isDatabaseUnavailable(new Error('connect', { cause: { code: 'ECONNREFUSED' } }))).toBe(false)
  })

  it('fails within the connect timeout if the server accepts the connection but never responds', async () => {
    const silentServer = createServer().listen(0, '127.0.0.1')
    await once(silentServer, 'listening')
    const address = silentServer.address()
    const port = typeof address === 'object' ? address?.port : 0
    const silent = openDatabase(`postgres://postgres:x@127.0.0.1:${port}/postgres`)
    const started = performance.now()
    const failures = await Promise.all([1, 2, 3].map(() => catchError(silent.db.execute(sql`select 1`))))
    expect(failures.every(isDatabaseUnavailable)).toBe(true)
    expect(performance.now() - started).toBeLessThan(2500)
    await silent.close()
    silentServer.close()
  })
})
