import { findBillingAccount, type SubscriptionState } from '#db/queries/subscriptions.ts'
import type { Ports } from '../ports.ts'
import { hasBillingCustomer } from './ensure-customer.ts'
import type { BillingProvider } from './ports.ts'
import { syncAccount } from './sync-subscription.ts'

/** The subscription state of a row before and after it was synced. */
interface Repair {
  readonly before: SubscriptionState
  readonly after: SubscriptionState
}

/** Syncs one account with the provider; null if nothing differed. */
export const reconcileAccount = async (
  accountId: string,
  provider: BillingProvider,
  ports: Pick<Ports, 'db' | 'log'>,
): Promise<Repair | null> => {
  const row = await findBillingAccount(ports.db.read, accountId)
  if (!hasBillingCustomer(row)) return null
  const { row: after, before } = await syncAccount(row, provider, ports)
  return before && { before, after }
}
