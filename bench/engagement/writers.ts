import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { openDatabase } from '#db/client/connection.ts'
import { migrateDatabase } from '#db/migrate.ts'
import { createVisitorPseudonyms } from '#db/visitor-pseudonyms.ts'
import type { EventStore } from '#gateway/adapters/event-queue.ts'
import { createPostgresEvents } from '#gateway/adapters/events-postgres.ts'
import type { EngagementStore } from './open-store.ts'

export interface Writer extends EventStore {
  readonly name: string
  close(): Promise<void>
}

// The queue of a process has one connection.
const createWriter = (name: string, url: string): Writer => {
  const database = openDatabase(url, { connections: 1 })
  const pseudonymsOf = createVisitorPseudonyms('secret-of-the-bench')
  return { name, ...createPostgresEvents({ db: database.db, pseudonymsOf }), close: () => database.close() }
}

const createEmptyDatabase = async ({ sql, url }: EngagementStore, name: string) => {
  await sql`drop database if exists ${sql(name)} with (force)`
  await sql`create database ${sql(name)}`
  const emptyUrl = new URL(`/${name}`, url).href
  await migrateDatabase(emptyUrl)
  return emptyUrl
}

const restoreFirstTrigger = async (url: string) => {
  const file = join(import.meta.dirname, '../../db/migrations/0005_engagement-rollups-and-rate-limits.sql')
  const statements = (await readFile(file, 'utf8')).split('--> statement-breakpoint')
  const first = statements.find((statement) => statement.includes('CREATE FUNCTION "roll_up_engagement"'))
  if (first === undefined) throw new Error(`${file} does not create the trigger`)
  const sql = postgres(url, { max: 1 })
  await sql.unsafe(first.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'))
  await sql.end()
}

const createUrlWithoutTriggers = async ({ sql, url }: EngagementStore) => {
  await sql`drop role if exists bench_untriggered`
  await sql`create role bench_untriggered superuser login password 'bench'`
  await sql`alter role bench_untriggered set session_replication_role = replica`
  const address = new URL(url)
  address.username = 'bench_untriggered'
  address.password = 'bench'
  return address.href
}

/** The writers of the queue of events, into the stored events and into empty databases. */
export const openWriters = async (store: EngagementStore): Promise<readonly Writer[]> => {
  const beforeMonths = await createEmptyDatabase(store, 'bench_before_months')
  await restoreFirstTrigger(beforeMonths)
  return [
    createWriter('all events', store.url),
    createWriter('all events, without the trigger', await createUrlWithoutTriggers(store)),
    createWriter('empty database', await createEmptyDatabase(store, 'bench_empty')),
    createWriter('empty database, without months and totals', beforeMonths),
  ]
}
