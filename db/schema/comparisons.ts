import { sql } from 'drizzle-orm'
import { bigint, check, date, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { isOneOf, timestamp } from './columns.ts'

const alarms = ['mismatches', 'critical'] as const
const total = () => bigint({ mode: 'number' }).notNull()
const statuses = () => jsonb().$type<Readonly<Record<string, number>>>().notNull()
/** Counts of responses by request and response shape; see `migration/model/gate/response-shapes.ts`. */
const shapes = () => jsonb().$type<Readonly<Record<string, number>>>().notNull().default({})
/** An `AccountSample`, as in `migration/model/gate`. */
const accounts = () => jsonb().$type<readonly string[]>().notNull()

/**
 * What one instance compared on one day (UTC) for one version of a route's code. Counts are totals, so that a repeated
 * write counts nothing twice. After 8 days they move to `evidence_set`.
 */
export const evidenceCounts = pgTable(
  'evidence_counts',
  {
    label: text().notNull(),
    evidenceKey: text().notNull(),
    instanceId: text().notNull(),
    day: date({ mode: 'string' }).notNull(),
    comparisons: integer().notNull(),
    regressions: integer().notNull(),
    critical: integer().notNull(),
    transients: integer().notNull(),
    notComparable: integer().notNull(),
    /** Comparisons that depend on an earlier one and are therefore not votes. */
    repeated: integer().notNull(),
    copies: integer().notNull(),
    drops: integer().notNull(),
    statuses: statuses(),
    shapes: shapes(),
    accounts: accounts(),
    /**
     * How much of these counts the evaluation has added to the test in `evidence_set`. Only the evaluation writes these
     * columns.
     */
    addedComparisons: integer().notNull().default(0),
    addedRegressions: integer().notNull().default(0),
    addedCritical: integer().notNull().default(0),
    updatedAt: timestamp().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.label, table.evidenceKey, table.instanceId, table.day] }),
    index('evidence_counts_by_day').on(table.day),
  ],
)

/** The result of all comparisons of one version of a route's code. Kept for at most 20 versions per route. */
export const evidenceSet = pgTable(
  'evidence_set',
  {
    label: text().notNull(),
    evidenceKey: text().notNull(),
    /** A `SequentialTestState`, as JSON. */
    test: jsonb().notNull(),
    /** A `CusumStream` of regressions, as JSON. */
    mismatches: jsonb().notNull(),
    /** Never cleared. Only a new version of the code starts without an alarm. */
    alarm: text({ enum: alarms }),
    alarmAt: timestamp(),
    critical: total(),
    /** The totals of the days whose rows were deleted from `evidence_counts`. A `ComparisonSums`, as JSON. */
    folded: jsonb().notNull(),
    firstAt: timestamp().notNull().default(sql`statement_timestamp()`),
    updatedAt: timestamp().notNull().default(sql`statement_timestamp()`),
  },
  (table) => [
    primaryKey({ columns: [table.label, table.evidenceKey] }),
    check('evidence_set_alarm', isOneOf(table.alarm, alarms)),
  ],
)

/**
 * Counts of what the core returned on a day (UTC) through one instance, on routes that can be shadowed. They are
 * totals, and are kept for 8 days.
 */
export const routeUsage = pgTable(
  'route_usage',
  {
    label: text().notNull(),
    day: date({ mode: 'string' }).notNull(),
    instanceId: text().notNull(),
    statuses: statuses(),
    shapes: shapes(),
    accounts: accounts(),
  },
  (table) => [
    primaryKey({ columns: [table.label, table.day, table.instanceId] }),
    index('route_usage_by_day').on(table.day),
  ],
)

/** Differences that comparisons found, with masked values. At most 200 per route are kept, for 7 days. */
export const mismatch = pgTable(
  'mismatch',
  {
    label: text().notNull(),
    signature: text().notNull(),
    evidenceKey: text().notNull(),
    kind: text().notNull(),
    path: text().notNull(),
    class: text().notNull(),
    blame: text().notNull(),
    exampleNative: text(),
    exampleCore: text(),
    count: integer().notNull(),
    requestIds: text().array().notNull(),
    firstAt: timestamp().notNull(),
    lastAt: timestamp().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.label, table.signature, table.evidenceKey] }),
    index('mismatch_by_last_at').on(table.lastAt),
  ],
)
