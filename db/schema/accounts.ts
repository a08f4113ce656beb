import { sql } from 'drizzle-orm'
import { check, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { flag, id, isOneOf, timestamp, timestamps } from './columns.ts'

/**
 * Account data that is not in tokens. The token issuer creates accounts, so a signed-in account may have no row here.
 * That is why `owner_id` columns do not reference this table.
 */
export const accounts = pgTable('accounts', {
  id: id(),
  email: text(),
  emailVerified: flag(),
  displayName: text(),
  ...timestamps(),
})

const billingStatuses = [
  'active',
  'canceled',
  'free',
  'incomplete',
  'past_due',
  'trialing',
  'unpaid',
] as const

/** An account that has no row is on the free plan. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    accountId: text().primaryKey(),
    planId: text().notNull().default('free'),
    status: text({ enum: billingStatuses }).notNull().default('free'),
    billingCustomerId: text().unique('subscriptions_customer'),
    billingSubscriptionId: text().unique('subscriptions_subscription'),
    cancelAtPeriodEnd: flag(),
    currentPeriodEnd: timestamp(),
    /** Time of the last applied event, by the provider's clock. Older events are stale. */
    lastEventAt: timestamp(),
    /**
     * Incremented with every provider response, even if nothing changed, and if the customer is replaced. If it has
     * changed since a request was sent, the response must be fetched again.
     */
    revision: integer().notNull().default(0),
    /** How many checkouts were started. Only the last one may stay open. */
    checkouts: integer().notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    check('subscriptions_status', isOneOf(table.status, billingStatuses)),
    check(
      'subscriptions_subscription_has_customer',
      sql`${table.billingSubscriptionId} is null or ${table.billingCustomerId} is not null`,
    ),
  ],
)
