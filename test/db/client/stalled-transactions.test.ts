import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, isDatabaseUnavailable, openDatabase } from '#db/client/connection.ts'
import { accounts } from '#db/schema/accounts.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type DatabaseRelay, startDatabaseRelay } from '#test/support/database-relay.ts'

describe('a transaction', () => {
  let test: TestDatabase
  let relay: DatabaseRelay
  let database: Database

  beforeAll(async () => {
    test = await createTestDatabase()
    relay = await startDatabaseRelay(test.url)
    // A transaction counts as stalled after 3 s without a response.
    database = openDatabase(relay.url, { connections: 1, statementTimeoutMs: 2000 })
  })
  afterAll(async () => {
    await database.close()
    await relay.close()
    await test.close()
  })

  it('may take longer than the stall timeout if each of its statements completes', async () => {
    await database.db.transaction(async (tx) => {
      for (let i = 0; i < 9; i++) await tx.execute(sql`select pg_sleep(0.4)`)
      await tx.insert(accounts).values({ id: 'slow' })
    })
    expect(await test.sql`select id from accounts where id = 'slow'`).toHaveLength(1)
  })

  it.each(['begin', 'insert', 'commit'] as const)(
    'frees its connection for others soon after its %s stalls',
    { timeout: 20_000 },
    async (stalled) => {
      relay.onStatement = (statement) => (statement === stalled ? 'stall' : null)
      const outcome = await database.db
        .transaction((tx) => tx.insert(accounts).values({ id: stalled }))
        .catch((error: unknown) => error)
      relay.onStatement = () => null
      expect(isDatabaseUnavailable(outcome)).toBe(true)
      expect(await database.isReachable()).toBe(true)
    },
  )
})

it('a statement whose response arrived while the process was paused succeeds', async () => {
  const test = await createTestDatabase()
  // A statement counts as stalled after 1.5 s without a response.
  const database = openDatabase(test.url, { connections: 1, statementTimeoutMs: 500 })
  try {
    await database.db.execute(sql`select 1`)
    const slept = database.db.execute(sql`select pg_sleep(0.2)`).then(
      () => 'succeeded',
      (error: unknown) => error,
    )
    await sleep(50)
    // From here on, timers run before anything is read.
    await new Promise((resolve) => setImmediate(resolve))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2800)
    expect(await slept).toBe('succeeded')
  } finally {
    await database.close()
    await test.close()
  }
})
