import postgres from 'postgres'
import { inject } from 'vitest'
import { type Database, openDatabase } from '#db/client/connection.ts'
import { startupSettings } from '#db/client/session-settings.ts'

export interface TestDatabase {
  /** The URL for the code under test. It may be a pooler's. */
  readonly url: string
  /** The URL of the server itself. */
  readonly directUrl: string
  /** The server's URL for code that is not under test and expects default settings. Sets them in each session. */
  readonly defaultsUrl: string
  readonly environment: { readonly DATABASE_URL: string; readonly DATABASE_PREPARE: 'on' | 'off' }
  /** False if the pooler does not support prepared statements. */
  readonly prepare: boolean
  readonly db: Database['db']
  /** For a test's plain SQL, without the pooler. */
  readonly sql: postgres.Sql
  close(): Promise<void>
}

export interface TestDatabaseOptions {
  readonly isMigrated?: boolean
  /**
   * Where to change the defaults of the settings that the code relies on: for the database, or for the role in it. A
   * test's own SQL is not affected.
   */
  readonly changedSettings?: 'database' | 'role' | undefined
  /** The URL of the pooler for the code under test, instead of the run's pooler. */
  readonly poolerUrl?: string | undefined
}

/** Creates a database with empty tables, or without tables if `isMigrated` is false; `close` drops it. */
export const createTestDatabase = async (options: TestDatabaseOptions = {}): Promise<TestDatabase> => {
  const server = inject('databaseServer')
  const { isMigrated = true, changedSettings = server.changedSettings } = options
  const poolerUrl = options.poolerUrl ?? server.poolerUrl
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const template = isMigrated ? server.template : 'template1'
  await runOnServer(async (sql) => {
    // At this size, copying files is faster than writing all pages to the write-ahead log.
    await sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`
    if (changedSettings) await changeSettings(sql, name, changedSettings)
  })

  const directUrl = new URL(`/${name}`, server.url).href
  const url = new URL(`/${name}`, poolerUrl ?? server.url).href
  const prepare = poolerUrl === null
  const environment = { DATABASE_URL: url, DATABASE_PREPARE: prepare ? 'on' : 'off' } as const
  const database = openDatabase(url, { connections: 4, prepare })
  const sql = postgres(withDefaults(directUrl), { max: 2, onnotice: () => undefined })
  const close = async () => {
    await Promise.all([database.close(), sql.end({ timeout: 1 })])
    await runOnServer((admin) => admin`drop database ${admin(name)} with (force)`)
  }
  return {
    url,
    directUrl,
    defaultsUrl: withDefaults(directUrl),
    environment,
    prepare,
    db: database.db,
    sql,
    close,
  }
}

// Each value is valid, but different from what the code relies on.
const changedValues = {
  array_nulls: 'off',
  bytea_output: 'escape',
  client_encoding: 'LATIN1',
  DateStyle: 'German, DMY',
  default_transaction_isolation: 'serializable',
  extra_float_digits: '-15',
  IntervalStyle: 'sql_standard',
  row_security: 'off',
  search_path: 'elsewhere',
  standard_conforming_strings: 'off',
  TimeZone: 'Asia/Kathmandu',
  transform_null_equals: 'on',
}

const changeSettings = async (sql: postgres.Sql, database: string, of: 'database' | 'role') => {
  const start =
    of === 'role' ? `alter role current_user in database "${database}"` : `alter database "${database}"`
  for (const [setting, value] of Object.entries(changedValues))
    await sql.unsafe(`${start} set ${setting} = '${value}'`)
}

const withDefaults = (databaseUrl: string) => {
  const url = new URL(databaseUrl)
  for (const [setting, value] of Object.entries(startupSettings[0])) url.searchParams.set(setting, value)
  return url.href
}

const runOnServer = async (work: (sql: postgres.Sql) => Promise<unknown>) => {
  const sql = postgres(inject('databaseServer').url, { max: 1 })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
