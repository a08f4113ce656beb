import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { warmUp } from '#gateway/node/warm-up.ts'
import { checksumTables } from '#test/support/checksum-tables.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type DatabaseRelay, startDatabaseRelay } from '#test/support/database-relay.ts'

describe('a warm-up', () => {
  let database: TestDatabase
  let relay: DatabaseRelay
  beforeAll(async () => {
    database = await createTestDatabase()
    relay = await startDatabaseRelay(database.url)
  })
  afterAll(async () => {
    await relay.close()
    await database.close()
  })
  const warmUpAt = (databaseUrl: string) =>
    warmUp({ DATABASE_URL: databaseUrl, DATABASE_CA: undefined, DATABASE_PREPARE: true })

  it('serves forwarded and native requests, and changes no row', async () => {
    const before = await checksumTables(database.sql)
    expect(await warmUpAt(database.url)).toBe(true)
    expect(await checksumTables(database.sql)).toEqual(before)
    expect(await database.sql`select 1 from gateway_instance`).toEqual([])
  })

  it('does not prevent the start if the database is down', async () => {
    relay.setUnavailable(true)
    expect(await warmUpAt(relay.url)).toBe(false)
    relay.setUnavailable(false)
  })
})
