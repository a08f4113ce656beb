import { invalid } from '#contracts/errors.ts'
import { type BillingEventEnvelope, lastSecond } from '#contracts/shared/provider-events.ts'
import type { Queryable } from '#db/client/connection.ts'
import {
  type BillingAccount,
  saveBillingCustomer,
  updateLockedSubscriptionFromEvent,
} from '#db/queries/billing/subscriptions.ts'
import { applySubscription, isLive, isSameState } from '../billing/current-subscription.ts'
import type { ParsedBillingEvent, ProviderSubscription } from '../billing/ports.ts'
import type { BillingCustomer } from '../billing/sync-subscription.ts'

/** Throws `validation_error` for a time after the year 9999. */
export const readEventTime = ({ created }: BillingEventEnvelope) => {
  if (created > lastSecond) throw invalid('created', 'must be before the year 10000')
  return new Date(created * 1000).toISOString()
}

// An ended subscription stays ended, and another subscription's event does not replace an active one.
const isApplicable = (row: BillingAccount, { id, state }: ProviderSubscription, occurredAt: string) => {
  if (row.lastEventAt !== null && occurredAt < row.lastEventAt) return false
  if (row.billingSubscriptionId === id) return row.status !== 'canceled'
  if (row.billingSubscriptionId === null) return true
  return !isLive(row) && state !== 'ended'
}

/**
 * Applies an event's content, for deployments without a provider API key. Returns whether it was applied. Events are
 * ordered only by the provider's times; within one second, the later arrival wins. An event that has no subscription or
 * is not applied makes no other event stale.
 */
export const processBillingEvent = async (
  tx: Queryable,
  { accountId, customerId }: BillingCustomer,
  { subscription }: ParsedBillingEvent,
  occurredAt: string,
): Promise<boolean> => {
  const row = await saveBillingCustomer(tx, accountId, customerId)
  // A different customer has been saved since the owner was found. The provider will deliver the event again.
  if (row.billingCustomerId !== customerId) throw new Error("the account's billing customer has changed")
  if (!subscription) return true
  if (!isApplicable(row, subscription, occurredAt)) return false
  const state = applySubscription(row, customerId, subscription)
  const isUnchanged = isSameState(row, state)
  if (!isUnchanged || row.lastEventAt !== occurredAt)
    await updateLockedSubscriptionFromEvent(tx, accountId, occurredAt, isUnchanged ? null : state)
  return true
}
