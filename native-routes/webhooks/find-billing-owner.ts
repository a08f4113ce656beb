import { findBillingAccount, findBillingAccountOfCustomer } from '#db/queries/billing/subscriptions.ts'
import type { BillingProvider, ParsedBillingEvent } from '../billing/ports.ts'
import type { BillingCustomer } from '../billing/sync-subscription.ts'
import type { Ports } from '../ports.ts'

// Fetches the subscription if the event does not contain it, because the subscription's metadata may name the account.
const findSubscriptionOfEvent = async (
  { subscription, subscriptionId }: ParsedBillingEvent,
  provider: BillingProvider | null,
) => subscription ?? (subscriptionId && provider ? await provider.findSubscription(subscriptionId) : null)

/**
 * Finds the account an event belongs to, from our metadata on the event or subscription, or by the stored customer.
 * Returns null if none of these names an account, or if they name different ones. Also returns null if the event's
 * reference, which the buyer may have chosen, names a different account.
 */
export const findBillingOwner = async (
  event: ParsedBillingEvent,
  provider: BillingProvider | null,
  { db }: Pick<Ports, 'db'>,
): Promise<BillingCustomer | null> => {
  const subscription = await findSubscriptionOfEvent(event, provider)
  const customerId = event.customerId ?? subscription?.customerId ?? null
  if (customerId === null) return null
  const known = await findBillingAccountOfCustomer(db.read, customerId)
  const accountIds = [event.accountId, subscription?.accountId, known?.accountId]
  const [accountId, ...others] = new Set(accountIds.filter((id) => typeof id === 'string'))
  if (accountId === undefined || others.length > 0) return null
  if (event.referenceId !== null && event.referenceId !== accountId) return null
  const row = known ?? (await findBillingAccount(db.read, accountId))
  const isOfOtherCustomer =
    row !== null && row.billingCustomerId !== null && row.billingCustomerId !== customerId
  return isOfOtherCustomer ? null : { accountId, customerId, revision: row?.revision ?? 0 }
}
