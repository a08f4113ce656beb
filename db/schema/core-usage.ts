import { sql } from 'drizzle-orm'
import { bigint, boolean, check, date, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

const requests = () => bigint({ mode: 'number' }).notNull()

/**
 * The requests that the core has served for each route and cause on a day (UTC) through one instance. Absolute, so
 * repeating a write counts nothing twice. After 15 days they are added to `core_usage_total`.
 */
export const coreUsage = pgTable(
  'core_usage',
  {
    /** Of a route, or `unmatched`. */
    label: text().notNull(),
    cause: text().notNull(),
    day: date({ mode: 'string' }).notNull(),
    instanceId: text().notNull(),
    requests: requests(),
    /** When the last of them was written, at most ten seconds after it was served. */
    lastAt: timestamp().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.label, table.cause, table.day, table.instanceId] }),
    index('core_usage_by_day').on(table.day),
  ],
)

/** What was counted on days that are deleted from `core_usage`. */
export const coreUsageTotal = pgTable(
  'core_usage_total',
  { label: text().notNull(), cause: text().notNull(), requests: requests(), lastAt: timestamp().notNull() },
  (table) => [primaryKey({ columns: [table.label, table.cause] })],
)

/** The requests of paths without a row, by method and shape of the path, as in `core_usage`; for 15 days. */
export const unmatchedUsage = pgTable(
  'unmatched_usage',
  {
    method: text().notNull(),
    /** Such as `/v1/reports/:id`. Contains words of the route table and names of collections only. */
    shape: text().notNull(),
    day: date({ mode: 'string' }).notNull(),
    instanceId: text().notNull(),
    requests: requests(),
    lastAt: timestamp().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.method, table.shape, table.day, table.instanceId] }),
    index('unmatched_usage_by_day').on(table.day),
  ],
)

/** Since when what the core serves is recorded, in a single row: the first instance that does so writes it. */
export const coreUsageStart = pgTable(
  'core_usage_start',
  {
    singleton: boolean().primaryKey().default(true),
    at: timestamp().notNull().default(sql`statement_timestamp()`),
    /** When an instance has last written. After a gap, such as one of an older release, `at` starts over. */
    aliveAt: timestamp().notNull().default(sql`statement_timestamp()`),
  },
  (table) => [check('core_usage_start_singleton', sql`${table.singleton}`)],
)
