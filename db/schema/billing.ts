import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, pgTable, text, unique } from 'drizzle-orm/pg-core'
import { id, isOneOf, timestamp } from './columns.ts'

const now = sql`now()`
/**
 * `processed`: applied to an account. `ignored`: not relevant. `stale`: older than the last applied event.
 * `unresolved_owner`: no account was found; if the event is delivered again, it is processed again.
 */
const outcomes = ['processed', 'ignored', 'stale', 'unresolved_owner'] as const

export const billingEvents = pgTable(
  'billing_events',
  {
    id: id(),
    type: text().notNull(),
    occurredAt: timestamp().notNull(),
    accountId: text(),
    outcome: text({ enum: outcomes }).notNull(),
    receivedAt: timestamp().notNull().default(now),
  },
  (table) => [check('billing_events_outcome', isOneOf(table.outcome, outcomes))],
)

/** Each is stored once per name and subject. */
export const operatorWarnings = pgTable(
  'operator_warnings',
  {
    id: id(),
    name: text().notNull(),
    subject: text().notNull(),
    detail: text().notNull(),
    createdAt: timestamp().notNull().default(now),
  },
  (table) => [unique('operator_warnings_once').on(table.name, table.subject)],
)

export const saleReports = pgTable(
  'sale_reports',
  {
    /** The link provider uses it to recognize a sale that it already has. */
    invoiceId: text().primaryKey(),
    accountId: text().notNull(),
    clickId: text().notNull(),
    /** In the smallest unit of the currency. */
    amount: bigint({ mode: 'number' }).notNull(),
    currency: text().notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: timestamp().notNull().default(now),
    reportedAt: timestamp(),
    createdAt: timestamp().notNull().default(now),
  },
  (table) => [index('sale_reports_due').on(table.nextAttemptAt).where(sql`reported_at is null`)],
)

/**
 * One nightly reconciliation with the billing provider. A worker acquires the run by inserting the day's row. If the
 * row stays unfinished, for example because the worker crashed, the run can be acquired again later.
 */
export const billingReconciliations = pgTable('billing_reconciliations', {
  /** `YYYY-MM-DD` in UTC. */
  day: text().primaryKey(),
  startedAt: timestamp().notNull().default(now),
  finishedAt: timestamp(),
  checked: integer().notNull().default(0),
  repaired: integer().notNull().default(0),
})
