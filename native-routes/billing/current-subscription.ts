import type { BillingAccount, SubscriptionState } from '#db/queries/billing/subscriptions.ts'
import type { ProviderSubscription } from './ports.ts'

interface Selection {
  /** The subscription that determines the account's plan; null for a customer without any. */
  readonly current: ProviderSubscription | null
  /** Other live subscriptions: an account may have only one. */
  readonly surplus: readonly ProviderSubscription[]
}

const precedence: readonly ProviderSubscription['state'][] = ['unknown', 'incomplete', 'ended']

const oldestFirst = (left: ProviderSubscription, right: ProviderSubscription) =>
  left.createdAt.localeCompare(right.createdAt) || left.id.localeCompare(right.id)

/**
 * Selects the subscription that determines the account's plan. The result depends only on the provider's list, so it is
 * the same in whatever order events arrive: the oldest live subscription, or else the newest of the others.
 */
export const selectCurrentSubscription = (subscriptions: readonly ProviderSubscription[]): Selection => {
  const sorted = subscriptions.toSorted(oldestFirst)
  const [first, ...surplus] = sorted.filter(({ state }) => state === 'live')
  if (first) return { current: first, surplus }
  const [best] = precedence.flatMap(
    (state) => sorted.findLast((candidate) => candidate.state === state) ?? [],
  )
  return { current: best ?? null, surplus: [] }
}

/** Whether a subscription that has not ended has a price that no plan has. */
export const hasUnknownPrice = ({ planId, state }: ProviderSubscription) =>
  planId === null && state !== 'ended'

// A mistake in the configured prices must not take a plan away: the account keeps the plan of this subscription, or that
// of the live one which this subscription replaces. A subscription that had no plan before grants none.
const selectPlan = (row: SubscriptionState, { id, planId }: ProviderSubscription) =>
  planId ?? (row.billingSubscriptionId === id || isLive(row) ? row.planId : 'free')

/**
 * The new state of a row for the selected subscription. Without one, a subscription that the row has is canceled. A
 * subscription whose price no plan has never changes the plan of a live row.
 */
export const applySubscription = (
  row: SubscriptionState,
  customerId: string,
  current: ProviderSubscription | null,
): SubscriptionState => {
  if (current) {
    return {
      planId: selectPlan(row, current),
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

/** Whether two rows have the same subscription state. */
export const isSameState = (left: SubscriptionState, right: SubscriptionState) =>
  left.planId === right.planId &&
  left.status === right.status &&
  left.billingCustomerId === right.billingCustomerId &&
  left.billingSubscriptionId === right.billingSubscriptionId &&
  left.cancelAtPeriodEnd === right.cancelAtPeriodEnd &&
  left.currentPeriodEnd === right.currentPeriodEnd

const liveStatuses: readonly BillingAccount['status'][] = ['active', 'trialing', 'past_due', 'unpaid']

/** Whether the account has a subscription that is paid or whose payment is due. */
export const isLive = (row: Pick<BillingAccount, 'status'> | null): boolean =>
  row !== null && liveStatuses.includes(row.status)
