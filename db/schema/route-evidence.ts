import { bigint, date, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { timestamp } from './columns.ts'

const total = () => bigint({ mode: 'number' }).notNull()
/** Requests per duration bucket (`shared/histogram.ts`). Zeros at the end are left out. */
const durations = () => integer().array().notNull().default([])
const durationTotals = () => bigint({ mode: 'number' }).array().notNull().default([])

/**
 * The newest contract run for each version of a route's code, for at most 20 versions per route and 5,000 rows overall.
 */
export const contractResult = pgTable(
  'contract_result',
  {
    label: text().notNull(),
    evidenceKey: text().notNull(),
    /**
     * How many comparisons had a regression or leak, or were not possible, plus one if no successful response was
     * compared.
     */
    problems: integer().notNull(),
    forbiddingDifferences: integer().notNull(),
    who: text().notNull(),
    /** When the run finished, by the clock of the machine it ran on. */
    at: timestamp().notNull(),
    /** The earliest expiry of the accepted differences that the run used; null if it used none. */
    validUntil: timestamp(),
  },
  (table) => [primaryKey({ columns: [table.label, table.evidenceKey] })],
)

/**
 * Requests that one instance served in ten minutes, by side, status class and duration. Counts are totals, so that a
 * repeated write counts nothing twice. After 14 days they move to `route_counts_daily`.
 */
export const routeCounts = pgTable(
  'route_counts',
  {
    label: text().notNull(),
    intervalStart: timestamp().notNull(),
    instanceId: text().notNull(),
    native2xx: integer().notNull(),
    native3xx: integer().notNull(),
    native4xx: integer().notNull(),
    native5xx: integer().notNull(),
    core2xx: integer().notNull(),
    core3xx: integer().notNull(),
    core4xx: integer().notNull(),
    core5xx: integer().notNull(),
    nativeDurations: durations(),
    coreDurations: durations(),
  },
  (table) => [
    primaryKey({ columns: [table.label, table.intervalStart, table.instanceId] }),
    index('route_counts_by_interval').on(table.intervalStart),
  ],
)

/** Requests that all instances served on a day (UTC). Kept for 400 days. */
export const routeCountsDaily = pgTable(
  'route_counts_daily',
  {
    label: text().notNull(),
    day: date({ mode: 'string' }).notNull(),
    native2xx: total(),
    native3xx: total(),
    native4xx: total(),
    native5xx: total(),
    core2xx: total(),
    core3xx: total(),
    core4xx: total(),
    core5xx: total(),
    nativeDurations: durationTotals(),
    coreDurations: durationTotals(),
  },
  (table) => [primaryKey({ columns: [table.day, table.label] })],
)
