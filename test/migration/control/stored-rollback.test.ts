import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#db/client/connection.ts'
import { createStoredRollback } from '#migration/control/stored-rollback.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const label = 'libraries.detail'

describe('a stored rollback', () => {
  let test: TestDatabase
  let database: Database
  beforeAll(async () => {
    test = await createTestDatabase()
    database = openDatabase(test.url, { connections: 1 })
  })
  afterAll(async () => {
    await database.close()
    await test.close()
  })

  it('marks the code that failed, even if only another instance runs it', async () => {
    const stored = createStoredRollback(database, new Map([[label, 'own']]))
    const stop = { label, version: 0, cause: 'errors', observer: 'fleet', evidenceKey: 'bad' } as const
    expect(await stored.rollBack(stop)).toMatchObject({ kind: 'changed' })
    const rows = await test.sql`select state, failed_evidence_key from route_state where scope = ${label}`
    expect(rows).toEqual([{ state: 'shadow', failed_evidence_key: 'bad' }])
    expect(await stored.rollBack(stop)).toMatchObject({ kind: 'stale' })
  })

  it('does not mark the code as failed after timeouts, which the database may have caused', async () => {
    const scope = 'libraries.list'
    const stored = createStoredRollback(database, new Map([[scope, 'own']]))
    const stop = {
      label: scope,
      version: 0,
      cause: 'timeouts',
      observer: 'fleet',
      evidenceKey: 'bad',
    } as const
    expect(await stored.rollBack(stop)).toMatchObject({ kind: 'changed' })
    const rows = await test.sql`select state, failed_evidence_key from route_state where scope = ${scope}`
    expect(rows).toEqual([{ state: 'shadow', failed_evidence_key: null }])
  })
})
