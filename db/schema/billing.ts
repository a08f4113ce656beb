import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, pgTable, text, unique } from 'drizzle-orm/pg-core'
import { id, oneOf, timestamp } from './columns.ts'

const now = sql`now()`
const outcomes = ['processed', 'ignored', 'stale', 'unresolved_owner'] as const

/** The events of the billing provider that were taken in, by the provider's own ids. */
export const billingEvents = pgTable(
  'billing_events',
  {
    id: id(),
    type: text().notNull(),
    /** By the provider's clock. */
    occurredAt: timestamp().notNull(),
    accountId: text(),
    outcome: text({ enum: outcomes }).notNull(),
    receivedAt: timestamp().notNull().default(now),
  },
  (table) => [check('billing_events_outcome', oneOf(table.outcome, outcomes))],
)

/** What somebody who runs the service should look at; the same thing is warned of once. */
export const operatorWarnings = pgTable(
  'operator_warnings',
  {
    id: id(),
    name: text().notNull(),
    /** What it is about: the id of an event or of a subscription. */
    subject: text().notNull(),
    detail: text().notNull(),
    createdAt: timestamp().notNull().default(now),
  },
  (table) => [unique('operator_warnings_once').on(table.name, table.subject)],
)

/** Sales that came through a share link, to be told to the link provider after the purchase is committed. */
export const saleReports = pgTable(
  'sale_reports',
  {
    /** The provider's invoice, by which the link provider tells a sale from its repetition. */
    invoiceId: text().primaryKey(),
    accountId: text().notNull(),
    clickId: text().notNull(),
    /** In the currency's smallest unit. */
    amount: bigint({ mode: 'number' }).notNull(),
    currency: text().notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: timestamp().notNull().default(now),
    reportedAt: timestamp(),
    createdAt: timestamp().notNull().default(now),
  },
  (table) => [index('sale_reports_due').on(table.nextAttemptAt).where(sql`reported_at is null`)],
)

/** One nightly comparison with the billing provider; its day is claimed by whoever runs it. */
export const billingReconciliations = pgTable('billing_reconciliations', {
  /** `YYYY-MM-DD`, in UTC. */
  day: text().primaryKey(),
  startedAt: timestamp().notNull().default(now),
  finishedAt: timestamp(),
  checked: integer().notNull().default(0),
  repaired: integer().notNull().default(0),
})
