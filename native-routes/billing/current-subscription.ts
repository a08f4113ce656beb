import type { BillingAccount, SubscriptionState } from '#db/queries/billing/subscriptions.ts'
import type { ProviderSubscription } from './ports.ts'

interface Selection {
  readonly current: ProviderSubscription | null
  /** Any other active subscriptions. An account may have only one. */
  readonly surplus: readonly ProviderSubscription[]
}

const precedence: readonly ProviderSubscription['state'][] = ['unknown', 'incomplete', 'ended']

const oldestFirst = (left: ProviderSubscription, right: ProviderSubscription) =>
  left.createdAt.localeCompare(right.createdAt) || left.id.localeCompare(right.id)

/**
 * The oldest active one, or else the newest unknown, incomplete or ended one, in this order. Depends only on the
 * provider's list, so events may arrive in any order.
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

/** False once the subscription has ended. */
export const hasUnknownPrice = ({ planId, state }: ProviderSubscription) =>
  planId === null && state !== 'ended'

// A mistake in the configured prices must not take a plan away, so the account keeps the one it has. A subscription
// that never had a plan grants none.
const selectPlan = (row: SubscriptionState, { id, planId }: ProviderSubscription) =>
  planId ?? (row.billingSubscriptionId === id || isLive(row) ? row.planId : 'free')

/**
 * If no subscription is selected, the row's subscription counts as cancelled. A price without a plan never changes an
 * active row's plan.
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

export const isSameState = (left: SubscriptionState, right: SubscriptionState) =>
  left.planId === right.planId &&
  left.status === right.status &&
  left.billingCustomerId === right.billingCustomerId &&
  left.billingSubscriptionId === right.billingSubscriptionId &&
  left.cancelAtPeriodEnd === right.cancelAtPeriodEnd &&
  left.currentPeriodEnd === right.currentPeriodEnd

const liveStatuses: readonly BillingAccount['status'][] = ['active', 'trialing', 'past_due', 'unpaid']

export const isLive = (row: Pick<BillingAccount, 'status'> | null): boolean =>
  row !== null && liveStatuses.includes(row.status)
