import postgres from 'postgres'
import { inject } from 'vitest'
import { type Database, openDatabase } from '#db/client/connection.ts'

export interface TestDatabase {
  /** The URL for the code under test, which may be that of a pooler. */
  readonly url: string
  /** The URL of the server itself. */
  readonly directUrl: string
  /** The settings for this database. */
  readonly environment: { readonly DATABASE_URL: string; readonly DATABASE_PREPARE: 'on' | 'off' }
  /** False if the pooler does not support prepared statements. */
  readonly prepare: boolean
  readonly db: Database['db']
  /** For plain SQL of a test, without the pooler. */
  readonly sql: postgres.Sql
  close(): Promise<void>
}

/** Creates an empty database, with the tables unless told otherwise; `close` drops it. */
export const createTestDatabase = async ({ isMigrated = true } = {}): Promise<TestDatabase> => {
  const server = inject('databaseServer')
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const template = isMigrated ? server.template : 'template1'
  await runOnServer((sql) => sql`create database ${sql(name)} template ${sql(template)}`)

  const directUrl = new URL(`/${name}`, server.url).href
  const url = new URL(`/${name}`, server.poolerUrl ?? server.url).href
  const prepare = server.poolerUrl === null
  const environment = { DATABASE_URL: url, DATABASE_PREPARE: prepare ? 'on' : 'off' } as const
  const database = openDatabase(url, { connections: 4, prepare })
  const sql = postgres(directUrl, { max: 2, onnotice: () => undefined })
  const close = async () => {
    await Promise.all([database.close(), sql.end({ timeout: 1 })])
    await runOnServer((admin) => admin`drop database ${admin(name)} with (force)`)
  }
  return { url, directUrl, environment, prepare, db: database.db, sql, close }
}

const runOnServer = async (work: (sql: postgres.Sql) => Promise<unknown>) => {
  const sql = postgres(inject('databaseServer').url, { max: 1 })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
