import { afterAll, beforeAll } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { catalogNow } from './add-track.ts'
import { type SeededCatalog, seedCatalog } from './seed-catalog.ts'

/**
 * Gives a test file a database with the seeded catalogues of two accounts, Alice and Bob. The catalogues differ only in
 * their ids.
 */
export const useSeededCatalog = () => {
  let opened: { readonly database: TestDatabase; readonly alice: SeededCatalog } | undefined
  beforeAll(async () => {
    const database = await createTestDatabase()
    const alice = await seedCatalog(database.sql, 'alice')
    await seedCatalog(database.sql, 'bob')
    opened = { database, alice }
  })
  afterAll(() => opened?.database.close())
  const get = () => {
    if (!opened) throw new Error('the catalogue is not seeded yet')
    return opened
  }
  return {
    alice: () => get().alice,
    database: () => get().database,
    /** The scope that a tool gets when Alice asks. */
    scope: () => ({ accountId: get().alice.accountId, db: get().database.db, now: catalogNow }),
  }
}
