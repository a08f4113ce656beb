import postgres from 'postgres'
import { inject } from 'vitest'
import { type Database, openDatabase } from '#db/client/connection.ts'

export interface TestDatabase {
  readonly url: string
  readonly db: Database['db']
  /** For plain SQL of a test. */
  readonly sql: postgres.Sql
  close(): Promise<void>
}

/** Creates a migrated, empty database; `close` drops it. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const server = inject('databaseServer')
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await runOnServer((sql) => sql`create database ${sql(name)} template ${sql(server.template)}`)

  const url = new URL(`/${name}`, server.url).href
  const database = openDatabase(url, { connections: 4 })
  const sql = postgres(url, { max: 2, onnotice: () => undefined })
  const close = async () => {
    await Promise.all([database.close(), sql.end({ timeout: 1 })])
    await runOnServer((admin) => admin`drop database ${admin(name)} with (force)`)
  }
  return { url, db: database.db, sql, close }
}

const runOnServer = async (work: (sql: postgres.Sql) => Promise<unknown>) => {
  const sql = postgres(inject('databaseServer').url, { max: 1 })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
