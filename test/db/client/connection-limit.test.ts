import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { isDatabaseUnavailable, openDatabase } from '#db/client/connection.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { type PgBouncer, startPgBouncer } from '#test/support/pgbouncer.ts'

const isInstalled = isInstalledOrSkipped('pgbouncer', 'the tests of a pooler that is full')
const maxClients = 3

describe.skipIf(!isInstalled)('a pooler that permits no more connections', () => {
  let test: TestDatabase
  let pooler: PgBouncer
  beforeAll(async () => {
    test = await createTestDatabase()
    pooler = await startPgBouncer(inject('databaseServer').url, { max_client_conn: maxClients })
  })
  afterAll(async () => {
    await pooler.stop()
    await test.close()
  })

  const open = (connections: number) => {
    const limits: (readonly [message: string, connections: number])[] = []
    const database = openDatabase(pooler.url.replace(/\/postgres$/, new URL(test.directUrl).pathname), {
      connections,
      prepare: false,
      onLimited: (message, count) => limits.push([message, count]),
    })
    onTestFinished(() => database.close())
    return { ...database, limits }
  }

  it.each(['warm', 'cold'])('keeps a %s pool at the size it has reached, and reports why', async (state) => {
    const { db, limits, usage } = open(10)
    if (state === 'warm') await db.execute(sql`select 1`)
    const queries = Array.from({ length: 12 }, (_, index) =>
      db.transaction(async (tx) => {
        await tx.execute(sql`select pg_sleep(0.05)`)
        return index
      }),
    )
    expect(await Promise.all(queries)).toEqual(queries.map((_, index) => index))
    expect(limits.map(([message]) => message)).toEqual([
      expect.stringMatching(/^no more connections allowed/),
    ])
    expect(usage().inUse).toBe(0)
  })

  it('is treated as an unavailable database by a pool that has no connection yet', async () => {
    const holder = open(maxClients)
    await Promise.all(
      Array.from({ length: maxClients }, () =>
        holder.db.transaction((tx) => tx.execute(sql`select pg_sleep(0.2)`)),
      ),
    )
    const failure = await open(2)
      .db.execute(sql`select 1`)
      .catch((error: unknown) => error)
    expect(isDatabaseUnavailable(failure)).toBe(true)
  })
})
