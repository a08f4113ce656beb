import { and, asc, eq, gt, isNotNull, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead, preparedWrite, requireRow } from '../../client/drizzle.ts'
import { subscriptions } from '../../schema/accounts.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

export type BillingAccount = typeof subscriptions.$inferSelect

export type SubscriptionState = Omit<
  BillingAccount,
  'accountId' | 'lastEventAt' | 'revision' | 'checkouts' | 'createdAt' | 'updatedAt'
>

const subscriptionOf = preparedRead((db) =>
  db
    .select({ planId: subscriptions.planId, status: subscriptions.status })
    .from(subscriptions)
    .where(eq(subscriptions.accountId, sql.placeholder('accountId')))
    .prepare('subscription_of'),
)

export const findSubscription = async (db: Reader, accountId: string) =>
  firstRow(await subscriptionOf(db).execute({ accountId }))

const lockedSubscriptionOf = preparedWrite((db) =>
  db
    .select({ planId: subscriptions.planId, status: subscriptions.status })
    .from(subscriptions)
    .where(eq(subscriptions.accountId, sql.placeholder('accountId')))
    .for('share')
    .prepare('locked_subscription_of'),
)

export const lockSubscription = async (tx: Queryable, accountId: string) =>
  firstRow(await lockedSubscriptionOf(tx).execute({ accountId }))

const billingAccountOf = preparedRead((db) =>
  db
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.accountId, sql.placeholder('accountId')))
    .prepare('billing_account_of'),
)

export const findBillingAccount = async (db: Reader, accountId: string): Promise<BillingAccount | null> =>
  firstRow(await billingAccountOf(db).execute({ accountId }))

export const findBillingAccountOfCustomer = async (
  db: Reader,
  customerId: string,
): Promise<BillingAccount | null> =>
  firstRow(await db.select().from(subscriptions).where(eq(subscriptions.billingCustomerId, customerId)))

export const lockBillingAccount = async (tx: Queryable, accountId: string): Promise<BillingAccount> => {
  const lock = () =>
    tx.select().from(subscriptions).where(eq(subscriptions.accountId, accountId)).for('update')
  const [existing] = await lock()
  if (existing) return existing
  await tx
    .insert(subscriptions)
    .values({
      accountId,
      billingCustomerId: null,
      billingSubscriptionId: null,
      currentPeriodEnd: null,
      lastEventAt: null,
    })
    .onConflictDoNothing()
  return requireRow(await lock())
}

// The stored time only moves forward; null leaves it unchanged.
const selectLatestEventTime = (occurredAt: string | null) =>
  sql<string>`greatest(${subscriptions.lastEventAt}, ${occurredAt}::timestamptz)`

/**
 * Returns null if the row's revision is no longer `revision` (optimistic locking). `occurredAt` is the event's time by
 * the provider's clock.
 */
export const incrementRevision = async (
  tx: Queryable,
  { accountId, revision }: Pick<BillingAccount, 'accountId' | 'revision'>,
  occurredAt: string | null,
): Promise<BillingAccount | null> =>
  firstRow(
    await tx
      .update(subscriptions)
      .set({
        revision: sql`${subscriptions.revision} + 1`,
        lastEventAt: selectLatestEventTime(occurredAt),
      })
      .where(and(eq(subscriptions.accountId, accountId), eq(subscriptions.revision, revision)))
      .returning(),
  )

export const updateLockedSubscription = async (
  tx: Queryable,
  accountId: string,
  state: SubscriptionState,
): Promise<BillingAccount> =>
  requireRow(
    await tx
      .update(subscriptions)
      .set({ ...state, updatedAt: statementTimestamp })
      .where(eq(subscriptions.accountId, accountId))
      .returning(),
  )

export const updateLockedSubscriptionFromEvent = async (
  tx: Queryable,
  accountId: string,
  occurredAt: string,
  state: SubscriptionState | null,
) => {
  await tx
    .update(subscriptions)
    .set({
      revision: sql`${subscriptions.revision} + 1`,
      lastEventAt: selectLatestEventTime(occurredAt),
      ...(state && { ...state, updatedAt: statementTimestamp }),
    })
    .where(eq(subscriptions.accountId, accountId))
}

export const updateBillingEventTime = async (tx: Queryable, accountId: string, occurredAt: string) => {
  await tx
    .update(subscriptions)
    .set({ lastEventAt: selectLatestEventTime(occurredAt) })
    .where(eq(subscriptions.accountId, accountId))
}

/**
 * Keeps a stored customer unless it is `replaced`. Replacing it raises the row's revision, so no response about the
 * replaced one is saved.
 */
export const saveBillingCustomer = async (
  tx: Queryable,
  accountId: string,
  customerId: string,
  replaced: string | null = null,
): Promise<BillingAccount & { readonly billingCustomerId: string }> => {
  const row = await lockBillingAccount(tx, accountId)
  const { billingCustomerId } = row
  if (billingCustomerId !== null && billingCustomerId !== replaced) return { ...row, billingCustomerId }
  const revision = billingCustomerId === null ? row.revision : row.revision + 1
  await tx
    .update(subscriptions)
    .set({ billingCustomerId: customerId, revision, updatedAt: statementTimestamp })
    .where(eq(subscriptions.accountId, accountId))
  return { ...row, billingCustomerId: customerId, revision }
}

export const incrementCheckoutCount = async (tx: Queryable, accountId: string) => {
  const rows = await tx
    .update(subscriptions)
    .set({ checkouts: sql`${subscriptions.checkouts} + 1` })
    .where(eq(subscriptions.accountId, accountId))
    .returning({ checkouts: subscriptions.checkouts })
  return requireRow(rows).checkouts
}

export const listAccountsWithCustomer = (db: Reader, after: string, limit: number) =>
  db
    .select({ accountId: subscriptions.accountId })
    .from(subscriptions)
    .where(and(isNotNull(subscriptions.billingCustomerId), gt(subscriptions.accountId, after)))
    .orderBy(asc(subscriptions.accountId))
    .limit(limit)
