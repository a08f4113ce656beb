import { sql } from 'drizzle-orm'
import { bigint, boolean, check, date, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

const requests = () => bigint({ mode: 'number' }).notNull()

/**
 * Requests the core served per route and cause on a day (UTC) through one instance. Absolute, so repeating a write
 * counts nothing twice. After 15 days they move to `core_usage_total`.
 */
export const coreUsage = pgTable(
  'core_usage',
  {
    /** A route, or `unmatched`. */
    label: text().notNull(),
    cause: text().notNull(),
    day: date({ mode: 'string' }).notNull(),
    instanceId: text().notNull(),
    requests: requests(),
    /** When the last one was written, at most ten seconds after it was served. */
    lastAt: timestamp().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.label, table.cause, table.day, table.instanceId] }),
    index('core_usage_by_day').on(table.day),
  ],
)

/** Counts of days deleted from `core_usage`. */
export const coreUsageTotal = pgTable(
  'core_usage_total',
  { label: text().notNull(), cause: text().notNull(), requests: requests(), lastAt: timestamp().notNull() },
  (table) => [primaryKey({ columns: [table.label, table.cause] })],
)

/** Requests on paths without a row, by method and path shape, as in `core_usage`. Kept for 15 days. */
export const unmatchedUsage = pgTable(
  'unmatched_usage',
  {
    method: text().notNull(),
    /** Such as `/v1/reports/:id`. Contains only words of the route table and names of collections. */
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

/** Since when the core's usage is recorded: a single row, written by the first instance that records it. */
export const coreUsageStart = pgTable(
  'core_usage_start',
  {
    singleton: boolean().primaryKey().default(true),
    at: timestamp().notNull().default(sql`statement_timestamp()`),
    /** When an instance last wrote. After a gap, such as an older release leaves, `at` starts over. */
    aliveAt: timestamp().notNull().default(sql`statement_timestamp()`),
  },
  (table) => [check('core_usage_start_singleton', sql`${table.singleton}`)],
)
