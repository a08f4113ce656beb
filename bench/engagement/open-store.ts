import { join } from 'node:path'
import postgres from 'postgres'
import { startEmbeddedPostgres } from '#db/embedded/start.ts'
import { migrateDatabase } from '#db/migrate.ts'
import type { Bench, BenchOptions } from '../open-bench.ts'
import { loadEvents } from './load-events.ts'
import { loadRollups, rollupTables } from './load-rollups.ts'
import { createSessions, eventsPerSession } from './sessions.ts'
import { withoutIndexes } from './without-indexes.ts'

// Without the log that only replication needs, tables are loaded in half the time.
const serverSettings = {
  shared_buffers: '3GB',
  max_wal_size: '8GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  maintenance_work_mem: '1GB',
}

export interface EngagementStore {
  readonly url: string
  readonly sql: postgres.Sql
  readonly rows: number
}

const load = async (sql: postgres.Sql, rows: number) => {
  await sql`set work_mem = '1GB'`
  await sql`set synchronous_commit = off`
  await createSessions(sql, rows)
  await withoutIndexes(sql, ['engagement_events'], () => loadEvents(sql, Math.ceil(rows / eventsPerSession)))
  await withoutIndexes(sql, rollupTables, () => loadRollups(sql))
  await sql`vacuum analyze`
  await sql`create table bench_loaded as select ${rows}::bigint as rows`
  await sql`reset work_mem`
  await sql`reset synchronous_commit`
}

const isLoaded = async (sql: postgres.Sql, rows: number) => {
  const [found] = await sql`select to_regclass('bench_loaded') is not null as exists`
  if (!found?.exists) return false
  const [loaded] = await sql`select rows::float8 from bench_loaded`
  if (loaded?.rows !== rows)
    throw new Error(`the database has ${loaded?.rows} rows: use --rows ${loaded?.rows}`)
  return true
}

/** Opens a database with so many events, and creates it if it does not exist. */
export const openStore = async (
  { folder, stopAtEnd }: Bench,
  { rows, databaseFolder = join(folder, 'engagement') }: BenchOptions,
): Promise<EngagementStore> => {
  const server = stopAtEnd(await startEmbeddedPostgres({ dataDir: databaseFolder, settings: serverSettings }))
  await migrateDatabase(server.url)
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined })
  stopAtEnd({ stop: () => sql.end() })
  if (!(await isLoaded(sql, rows))) await load(sql, rows)
  return { url: server.url, sql, rows }
}
