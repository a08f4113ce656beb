import { and, asc, eq, gt, isNotNull, type Placeholder, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { preparedRead, preparedWrite } from '../client/prepared.ts'
import { requireSingleRow } from '../client/single-row.ts'
import { subscriptions } from '../schema/accounts.ts'
import { changedNow } from './changed-now.ts'

/** What is known of an account's customer and subscription at the billing provider. */
export type BillingAccount = typeof subscriptions.$inferSelect

/** The part of it that the provider decides. */
export type SubscriptionState = Pick<
  BillingAccount,
  | 'planId'
  | 'status'
  | 'billingCustomerId'
  | 'billingSubscriptionId'
  | 'cancelAtPeriodEnd'
  | 'currentPeriodEnd'
>

const subscriptionOf = preparedRead((db) =>
  db
    .select({ planId: subscriptions.planId, status: subscriptions.status })
    .from(subscriptions)
    .where(eq(subscriptions.accountId, sql.placeholder('accountId')))
    .prepare('subscription_of'),
)

export const findSubscription = async (db: Reader, accountId: string) => {
  const [subscription] = await subscriptionOf(db).execute({ accountId })
  return subscription ?? null
}

const lockedSubscriptionOf = preparedWrite((db) =>
  db
    .select({ planId: subscriptions.planId, status: subscriptions.status })
    .from(subscriptions)
    .where(eq(subscriptions.accountId, sql.placeholder('accountId')))
    .for('share')
    .prepare('locked_subscription_of'),
)

/** The same, kept from being changed until the transaction ends. An account may have none: then nothing is locked. */
export const lockSubscription = async (tx: Queryable, accountId: string) => {
  const [subscription] = await lockedSubscriptionOf(tx).execute({ accountId })
  return subscription ?? null
}

const billingAccountOf = preparedRead((db) =>
  db
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.accountId, sql.placeholder('accountId')))
    .prepare('billing_account_of'),
)

/** Null for an account that has never had to do with billing. */
export const findBillingAccount = async (db: Reader, accountId: string): Promise<BillingAccount | null> => {
  const [account] = await billingAccountOf(db).execute({ accountId })
  return account ?? null
}

const billingAccountOfCustomer = preparedRead((db) =>
  db
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.billingCustomerId, sql.placeholder('customerId')))
    .prepare('billing_account_of_customer'),
)

export const findBillingAccountOfCustomer = async (
  db: Reader,
  customerId: string,
): Promise<BillingAccount | null> => {
  const [account] = await billingAccountOfCustomer(db).execute({ customerId })
  return account ?? null
}

const lockedBillingAccount = preparedWrite((db) =>
  db
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.accountId, sql.placeholder('accountId')))
    .for('update')
    .prepare('locked_billing_account'),
)

/** The row of an account, made where there is none, kept from any other change until the transaction ends. */
export const lockBillingAccount = async (tx: Queryable, accountId: string): Promise<BillingAccount> => {
  const lock = () => lockedBillingAccount(tx).execute({ accountId })
  const [known] = await lock()
  if (known) return known
  await tx.insert(subscriptions).values({ accountId }).onConflictDoNothing()
  return requireSingleRow(await lock())
}

// It never goes back; null leaves it where it is.
const laterOf = (occurredAt: string | Placeholder) =>
  sql<string>`greatest(${subscriptions.lastEventAt}, ${occurredAt}::timestamptz)`

const raisedRevision = preparedWrite((db) =>
  db
    .update(subscriptions)
    .set({
      revision: sql`${subscriptions.revision} + 1`,
      lastEventAt: laterOf(sql.placeholder('toldAt')),
    })
    .where(
      and(
        eq(subscriptions.accountId, sql.placeholder('accountId')),
        eq(subscriptions.revision, sql.placeholder('revision')),
      ),
    )
    .returning()
    .prepare('raised_revision'),
)

/**
 * Locks a row whose revision is still the one that was seen, and raises it; null where it is another or there is no
 * row. `toldAt` is when the event happened that tells of the subscription, by the provider's clock.
 */
export const raiseRevision = async (
  tx: Queryable,
  { accountId, revision }: Pick<BillingAccount, 'accountId' | 'revision'>,
  toldAt: string | null,
): Promise<BillingAccount | null> => {
  const [raised] = await raisedRevision(tx).execute({ accountId, revision, toldAt })
  return raised ?? null
}

/** Changes what a locked row says of the subscription; its revision is raised beforehand. */
export const updateLockedSubscription = async (
  tx: Queryable,
  accountId: string,
  state: SubscriptionState,
): Promise<BillingAccount> =>
  requireSingleRow(
    await tx
      .update(subscriptions)
      .set({ ...state, updatedAt: changedNow })
      .where(eq(subscriptions.accountId, accountId))
      .returning(),
  )

/**
 * Takes over what an event tells of the subscription on a locked row: when it happened, by the provider's clock, and the
 * state, which is null where it says nothing new.
 */
export const updateLockedByEvent = async (
  tx: Queryable,
  accountId: string,
  occurredAt: string,
  state: SubscriptionState | null,
) => {
  await tx
    .update(subscriptions)
    .set({
      revision: sql`${subscriptions.revision} + 1`,
      lastEventAt: laterOf(occurredAt),
      ...(state && { ...state, updatedAt: changedNow }),
    })
    .where(eq(subscriptions.accountId, accountId))
}

/** Notes an event's time, by the provider's clock, on a locked row; it never goes back. */
export const updateBillingEventTime = async (tx: Queryable, accountId: string, occurredAt: string) => {
  await tx
    .update(subscriptions)
    .set({ lastEventAt: laterOf(occurredAt) })
    .where(eq(subscriptions.accountId, accountId))
}

/** Gives an account its customer unless it has one already; answers its row, locked. */
export const saveBillingCustomer = async (
  tx: Queryable,
  accountId: string,
  customerId: string,
): Promise<BillingAccount & { readonly billingCustomerId: string }> => {
  const row = await lockBillingAccount(tx, accountId)
  const { billingCustomerId } = row
  if (billingCustomerId !== null) return { ...row, billingCustomerId }
  await tx
    .update(subscriptions)
    .set({ billingCustomerId: customerId, updatedAt: changedNow })
    .where(eq(subscriptions.accountId, accountId))
  return { ...row, billingCustomerId: customerId }
}

/** Counts a checkout that is about to begin; of two, the one that was counted later is the later one. */
export const countCheckout = async (tx: Queryable, accountId: string) => {
  const counted = await tx
    .update(subscriptions)
    .set({ checkouts: sql`${subscriptions.checkouts} + 1` })
    .where(eq(subscriptions.accountId, accountId))
    .returning({ checkouts: subscriptions.checkouts })
  return requireSingleRow(counted).checkouts
}

/** Accounts with a customer, by their ids, from behind one on. */
export const listAccountsWithCustomer = (db: Reader, after: string, limit: number) =>
  db
    .select({ accountId: subscriptions.accountId })
    .from(subscriptions)
    .where(and(isNotNull(subscriptions.billingCustomerId), gt(subscriptions.accountId, after)))
    .orderBy(asc(subscriptions.accountId))
    .limit(limit)
