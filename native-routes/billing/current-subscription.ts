import type { BillingAccount, SubscriptionState } from '#db/queries/subscriptions.ts'
import type { ProviderSubscription } from './ports.ts'

interface Standing {
  /** The one that counts for the account; null for a customer without any. */
  readonly current: ProviderSubscription | null
  /** Live ones beside it: an account has one subscription. */
  readonly surplus: readonly ProviderSubscription[]
}

const precedence: readonly ProviderSubscription['state'][] = ['unknown', 'incomplete', 'ended']

const oldestFirst = (left: ProviderSubscription, right: ProviderSubscription) =>
  left.createdAt.localeCompare(right.createdAt) || left.id.localeCompare(right.id)

/**
 * Tells which of a customer's subscriptions counts, from nothing but what the provider has: whoever asks, in whatever
 * order its events arrive, comes to the same one. Of several live ones that is the first, of others the last.
 */
export const selectCurrentSubscription = (subscriptions: readonly ProviderSubscription[]): Standing => {
  const sorted = subscriptions.toSorted(oldestFirst)
  const [first, ...surplus] = sorted.filter(({ state }) => state === 'live')
  if (first) return { current: first, surplus }
  const [best] = precedence.flatMap(
    (state) => sorted.findLast((candidate) => candidate.state === state) ?? [],
  )
  return { current: best ?? null, surplus: [] }
}

/** What a row is to say of the subscription that counts. Without any, one that the row knew has ended. */
export const withSubscription = (
  row: SubscriptionState,
  customerId: string,
  current: ProviderSubscription | null,
): SubscriptionState => {
  if (current) {
    return {
      planId: current.planId ?? 'free',
      status: current.status,
      billingCustomerId: customerId,
      billingSubscriptionId: current.id,
      cancelAtPeriodEnd: current.pendingCancellation !== null,
      currentPeriodEnd: current.currentPeriodEnd,
    }
  }
  const { planId, status, billingSubscriptionId, cancelAtPeriodEnd, currentPeriodEnd } = row
  return {
    planId,
    status: billingSubscriptionId === null ? status : 'canceled',
    billingCustomerId: customerId,
    billingSubscriptionId,
    cancelAtPeriodEnd: billingSubscriptionId === null && cancelAtPeriodEnd,
    currentPeriodEnd,
  }
}

/** Whether two rows say the same of the subscription. */
export const isSameState = (left: SubscriptionState, right: SubscriptionState) =>
  left.planId === right.planId &&
  left.status === right.status &&
  left.billingCustomerId === right.billingCustomerId &&
  left.billingSubscriptionId === right.billingSubscriptionId &&
  left.cancelAtPeriodEnd === right.cancelAtPeriodEnd &&
  left.currentPeriodEnd === right.currentPeriodEnd

const liveStatuses: readonly BillingAccount['status'][] = ['active', 'trialing', 'past_due', 'unpaid']

/** Whether the account has something that is paid or owed. */
export const isLive = (row: Pick<BillingAccount, 'status'> | null): boolean =>
  row !== null && liveStatuses.includes(row.status)
