import { invalid } from '#contracts/errors.ts'
import type { BillingEvent } from '#contracts/shared/provider-events.ts'
import type { Queryable } from '#db/client/connection.ts'
import { type BillingAccount, saveBillingCustomer, updateLockedByEvent } from '#db/queries/subscriptions.ts'
import { isLive, isSameState, withSubscription } from '../billing/current-subscription.ts'
import type { ParsedBillingEvent, ProviderSubscription } from '../billing/ports.ts'
import type { Customer } from '../billing/sync-subscription.ts'

const lastSecond = 253_402_300_799

/** The provider's clock at the moment of an event; throws `validation_error` behind the year 9999. */
export const billingEventTime = ({ created }: BillingEvent) => {
  if (created > lastSecond) throw invalid('created', 'must lie before the year 10000')
  return new Date(created * 1000).toISOString()
}

// What ended stays ended, and what is told of another subscription than a live one is not told of the account's.
const isNewer = (row: BillingAccount, { id, state }: ProviderSubscription, occurredAt: string) => {
  if (row.lastEventAt !== null && occurredAt < row.lastEventAt) return false
  if (row.billingSubscriptionId === id) return row.status !== 'canceled'
  if (row.billingSubscriptionId === null) return true
  return !isLive(row) && state !== 'ended'
}

/**
 * Applies an event by what it says itself, for a deployment that cannot ask the provider; answers whether it was news.
 * Only the provider's times are compared; of two events in the same second the one that arrives later counts. One that
 * says nothing of the subscription, or is not applied, has no time that another could be older than.
 */
export const processBillingEvent = async (
  tx: Queryable,
  { accountId, customerId }: Customer,
  { subscription }: ParsedBillingEvent,
  occurredAt: string,
): Promise<boolean> => {
  const row = await saveBillingCustomer(tx, accountId, customerId)
  if (!subscription) return true
  if (!isNewer(row, subscription, occurredAt)) return false
  const state = withSubscription(row, customerId, subscription)
  const saysNothingNew = isSameState(row, state)
  if (!saysNothingNew || row.lastEventAt !== occurredAt)
    await updateLockedByEvent(tx, accountId, occurredAt, saysNothingNew ? null : state)
  return true
}
