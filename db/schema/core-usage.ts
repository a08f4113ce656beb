import { sql } from 'drizzle-orm'
import { bigint, boolean, check, date, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

const requests = () => bigint({ mode: 'number' }).notNull()

/**
 * Requests that the core served on a day (UTC) through one instance, per route and cause. Counts are totals, so that a
 * repeated write counts nothing twice. After 15 days they move to `core_usage_total`.
 */
export const coreUsage = pgTable(
  'core_usage',
  {
    /** The label of a route, or `unmatched`. */
    label: text().notNull(),
    cause: text().notNull(),
    day: date({ mode: 'string' }).notNull(),
    instanceId: text().notNull(),
    requests: requests(),
    /** When the count last grew, which is at most ten seconds after the last request was served. */
    lastAt: timestamp().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.label, table.cause, table.day, table.instanceId] }),
    index('core_usage_by_day').on(table.day),
  ],
)

export const coreUsageTotal = pgTable(
  'core_usage_total',
  { label: text().notNull(), cause: text().notNull(), requests: requests(), lastAt: timestamp().notNull() },
  (table) => [primaryKey({ columns: [table.label, table.cause] })],
)

/**
 * Requests for paths that are not in the route table, by method and path shape. Counted as in `core_usage`, and kept
 * for 15 days.
 */
export const unmatchedUsage = pgTable(
  'unmatched_usage',
  {
    method: text().notNull(),
    /** For example `/v1/reports/:id`. Contains only words from the route table and names of collections. */
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

/** When recording of the core's usage began. A single row, written by the first instance that records usage. */
export const coreUsageStart = pgTable(
  'core_usage_start',
  {
    singleton: boolean().primaryKey().default(true),
    at: timestamp().notNull().default(sql`statement_timestamp()`),
    /** When any instance last wrote. After a gap, for example while an older release was running, `at` starts over. */
    aliveAt: timestamp().notNull().default(sql`statement_timestamp()`),
  },
  (table) => [check('core_usage_start_singleton', sql`${table.singleton}`)],
)
