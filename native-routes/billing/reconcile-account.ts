import type { Reader } from '#db/client/connection.ts'
import { findBillingAccount, type SubscriptionState } from '#db/queries/billing/subscriptions.ts'
import type { Ports } from '../ports.ts'
import {
  applySubscription,
  hasUnknownPrice,
  isSameState,
  selectCurrentSubscription,
} from './current-subscription.ts'
import { hasBillingCustomer } from './ensure-customer.ts'
import type { BillingProvider, ProviderSubscription } from './ports.ts'
import { syncAccount } from './sync-subscription.ts'

export interface Reconciliation {
  /** Null if nothing differed. */
  readonly change: { readonly before: SubscriptionState; readonly after: SubscriptionState } | null
  /**
   * Id of the current subscription if its price belongs to no plan. Such a subscription does not change the account's
   * plan.
   */
  readonly unknownPriceOf: string | null
  /** Syncing the account cancels them. */
  readonly surplus: readonly string[]
}

const findUnknownPrice = (current: ProviderSubscription | null) =>
  current && hasUnknownPrice(current) ? current.id : null

export const compareAccount = async (
  accountId: string,
  provider: Pick<BillingProvider, 'listSubscriptions'>,
  read: Reader,
): Promise<Reconciliation | null> => {
  const before = await findBillingAccount(read, accountId)
  if (!hasBillingCustomer(before)) return null
  const { billingCustomerId: customerId } = before
  const { current, surplus } = selectCurrentSubscription(await provider.listSubscriptions(customerId))
  const after = applySubscription(before, customerId, current)
  return {
    change: isSameState(before, after) ? null : { before, after },
    unknownPriceOf: findUnknownPrice(current),
    surplus: surplus.map(({ id }) => id),
  }
}

export const reconcileAccount = async (
  accountId: string,
  provider: BillingProvider,
  ports: Pick<Ports, 'db' | 'log'>,
): Promise<Reconciliation | null> => {
  const row = await findBillingAccount(ports.db.read, accountId)
  if (!hasBillingCustomer(row)) return null
  const { row: after, before, current, surplus } = await syncAccount(row, provider, ports)
  return {
    change: before && { before, after },
    unknownPriceOf: findUnknownPrice(current),
    surplus: surplus.map(({ id }) => id),
  }
}
