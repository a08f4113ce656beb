import { findBillingAccount, findBillingAccountOfCustomer } from '#db/queries/subscriptions.ts'
import type { BillingProvider, ParsedBillingEvent } from '../billing/ports.ts'
import type { Customer } from '../billing/sync-subscription.ts'
import type { Ports } from '../ports.ts'

// A subscription that is not in the event itself may still say for whom it was bought.
const boughtSubscription = async (
  { subscription, subscriptionId }: ParsedBillingEvent,
  provider: BillingProvider | null,
) => subscription ?? (subscriptionId && provider ? await provider.findSubscription(subscriptionId) : null)

/**
 * The account that an event is about. Everything that names one must name the same one: the event, the subscription,
 * and what is known of the customer. Null where nothing does or two disagree.
 */
export const findBillingOwner = async (
  news: ParsedBillingEvent,
  provider: BillingProvider | null,
  { db }: Pick<Ports, 'db'>,
): Promise<Customer | null> => {
  const bought = await boughtSubscription(news, provider)
  const customerId = news.customerId ?? bought?.customerId ?? null
  if (customerId === null) return null
  const known = await findBillingAccountOfCustomer(db.read, customerId)
  const named = [...news.claimedAccountIds, bought?.accountId, known?.accountId]
  const [accountId, ...others] = new Set(named.filter((name) => typeof name === 'string'))
  if (accountId === undefined || others.length > 0) return null
  const row = known ?? (await findBillingAccount(db.read, accountId))
  const isOtherCustomers =
    row !== null && row.billingCustomerId !== null && row.billingCustomerId !== customerId
  return isOtherCustomers ? null : { accountId, customerId, revision: row?.revision ?? 0 }
}
