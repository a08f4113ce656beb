import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isDatabaseUnavailable, openDatabase } from '#db/client/connection.ts'
import { migrateDatabase } from '#db/migrate.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type DatabaseRelay, startDatabaseRelay } from '#test/support/database-relay.ts'

// The driver spends a second on a server that accepts a connection and closes it.
const pollOptions = { timeout: 10_000 }

// One server at two addresses, each of which can be made unavailable.
describe('a database URL with several hosts', () => {
  let test: TestDatabase
  let relays: readonly [DatabaseRelay, DatabaseRelay]
  beforeAll(async () => {
    test = await createTestDatabase()
    relays = [await startDatabaseRelay(test.directUrl), await startDatabaseRelay(test.directUrl)]
  })
  afterAll(async () => {
    for (const relay of relays) await relay.close()
    await test.close()
  })

  const urlOf = (query = '') => {
    const [first, second] = relays.map(({ url }) => new URL(url))
    return `${first!.href.replace(first!.host, `${first!.host},${second!.host}`)}${query}`
  }
  const open = (url: string, connections = 2) => {
    const database = openDatabase(url, { connections, statementTimeoutMs: 500 })
    onTestFinished(() => database.close())
    return database
  }
  const setUnavailable = (...states: readonly boolean[]) => {
    for (const [index, isUnavailable] of states.entries()) relays[index]!.setUnavailable(isUnavailable)
  }

  it('connects to the first server that accepts connections, and to a different one once that server is lost', async () => {
    const { db } = open(urlOf())
    const succeeds = () =>
      db.execute(sql`select ${1}::int`).then(
        () => true,
        () => false,
      )
    setUnavailable(true, false)
    expect(await succeeds()).toBe(true)
    setUnavailable(false, true)
    await expect.poll(succeeds, pollOptions).toBe(true)
    setUnavailable(true, true)
    const failures = await Promise.allSettled([1, 2, 3].map(() => db.execute(sql`select 1`)))
    for (const failure of failures)
      expect(failure.status === 'rejected' && isDatabaseUnavailable(failure.reason)).toBe(true)
    setUnavailable(true, false)
    await expect.poll(succeeds, pollOptions).toBe(true)
    setUnavailable(false, false)
  })

  it('skips a read-only server if target_session_attrs is read-write', async () => {
    const readOnly = await createTestDatabase()
    onTestFinished(readOnly.close)
    const name = new URL(readOnly.directUrl).pathname.slice(1)
    await readOnly.sql.unsafe(`alter database ${name} set default_transaction_read_only = on`)
    const [host] = [new URL(readOnly.directUrl).host]
    const url = readOnly.directUrl.replace(host, `${host},${host}`)
    const { db } = open(`${url}?target_session_attrs=read-write`)
    const failure = await db.execute(sql`select 1`).catch((error) => error)
    expect(failure.cause.cause.message).toBe('no server of the database is read-write')
    expect(await open(`${url}?target_session_attrs=any`).db.execute(sql`select 1 as one`)).toEqual([
      { one: 1 },
    ])
    expect(await open(`${url}?target_session_attrs=primary`).db.execute(sql`select 1 as one`)).toEqual([
      { one: 1 },
    ])
  })

  it('writes to a different server once the current one rejects writes, as a demoted primary does', async () => {
    const { db } = open(urlOf(), 1)
    const usedServers: number[] = []
    for (const [index, relay] of relays.entries())
      relay.onStatement = (_, sent) => {
        if (sent.includes('written-to')) usedServers.push(index)
        return null
      }
    const write = () => db.execute(sql`update accounts set id = id where id = 'written-to'`)
    await write()
    await db.execute(sql`set default_transaction_read_only = on`)
    const failure = await write().catch((error) => error)
    expect(failure.cause.code).toBe('25006')
    expect(isDatabaseUnavailable(failure)).toBe(true)
    await write()
    await expect(
      db.transaction(async (tx) => {
        await tx.execute(sql`set transaction read only`)
        await tx.execute(sql`update accounts set id = id where id = 'written-to'`)
      }),
    ).rejects.toThrow()
    await write()
    expect(usedServers).toEqual([0, 0, 1, 1, 0])
  })

  it('lets migrations run on the first server that accepts connections', async () => {
    setUnavailable(true, false)
    await migrateDatabase(urlOf('?target_session_attrs=read-write'))
    setUnavailable(false, false)
  })
})
