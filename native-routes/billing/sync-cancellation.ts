import { ApiError } from '#contracts/errors.ts'
import { findBillingAccount } from '#db/queries/subscriptions.ts'
import type { Actor, Ports } from '../ports.ts'
import { isBillingCustomer } from './ensure-customer.ts'
import type { BillingProvider, ProviderSubscription } from './ports.ts'
import { requireProvider } from './require-provider.ts'
import { refreshSubscription, saveProviderReply } from './sync-subscription.ts'

const noSubscription = () => new ApiError('billing_bad_input', { reason: 'no_subscription' }, { status: 409 })

/**
 * Has the account's live subscription end with its period or not, by `change` where the provider does not have it so
 * already.
 */
export const syncCancellation = async (
  { accountId }: Actor,
  isWanted: boolean,
  change: (provider: BillingProvider, current: ProviderSubscription) => Promise<ProviderSubscription>,
  ports: Ports,
) => {
  const known = await findBillingAccount(ports.db.read, accountId)
  if (!isBillingCustomer(known)) throw noSubscription()
  const provider = requireProvider(ports)
  const { row, current } = await refreshSubscription(known, provider, ports)
  if (current?.state !== 'live') throw noSubscription()
  if ((current.pendingCancellation !== null) === isWanted) return row
  return saveProviderReply(row, await change(provider, current), provider, ports)
}
