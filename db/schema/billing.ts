import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, pgTable, text, unique } from 'drizzle-orm/pg-core'
import { id, isOneOf, timestamp } from './columns.ts'

const now = sql`now()`
const outcomes = ['processed', 'ignored', 'stale', 'unresolved_owner'] as const

/** The processed events of the billing provider, by their provider ids. */
export const billingEvents = pgTable(
  'billing_events',
  {
    id: id(),
    type: text().notNull(),
    /** By the clock of the provider. */
    occurredAt: timestamp().notNull(),
    accountId: text(),
    outcome: text({ enum: outcomes }).notNull(),
    receivedAt: timestamp().notNull().default(now),
  },
  (table) => [check('billing_events_outcome', isOneOf(table.outcome, outcomes))],
)

/** Conditions that an operator should check. Each is recorded once. */
export const operatorWarnings = pgTable(
  'operator_warnings',
  {
    id: id(),
    name: text().notNull(),
    /** The id of the event or subscription. */
    subject: text().notNull(),
    detail: text().notNull(),
    createdAt: timestamp().notNull().default(now),
  },
  (table) => [unique('operator_warnings_once').on(table.name, table.subject)],
)

/** Sales that came through a share link. They are reported to the link provider after the purchase is committed. */
export const saleReports = pgTable(
  'sale_reports',
  {
    /** The invoice id, by which the link provider deduplicates sales. */
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

/** One nightly reconciliation with the billing provider. The worker that runs it acquires the row of its day. */
export const billingReconciliations = pgTable('billing_reconciliations', {
  /** `YYYY-MM-DD`, in UTC. */
  day: text().primaryKey(),
  startedAt: timestamp().notNull().default(now),
  finishedAt: timestamp(),
  checked: integer().notNull().default(0),
  repaired: integer().notNull().default(0),
})
