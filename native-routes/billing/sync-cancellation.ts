import { ApiError } from '#contracts/errors.ts'
import { findBillingAccount } from '#db/queries/billing/subscriptions.ts'
import type { Actor, Ports } from '../ports.ts'
import { hasBillingCustomer } from './ensure-customer.ts'
import type { BillingProvider, ProviderSubscription } from './ports.ts'
import { requireProvider } from './require-provider.ts'
import { saveProviderResponse, syncAccount } from './sync-subscription.ts'

const noSubscription = () => new ApiError('billing_bad_input', { reason: 'no_subscription' }, { status: 409 })

export const syncCancellation = async (
  { accountId }: Actor,
  isWanted: boolean,
  change: (provider: BillingProvider, current: ProviderSubscription) => Promise<ProviderSubscription>,
  ports: Ports,
) => {
  const account = await findBillingAccount(ports.db.read, accountId)
  if (!hasBillingCustomer(account)) throw noSubscription()
  const provider = requireProvider(ports)
  const { row, current } = await syncAccount(account, provider, ports)
  if (current?.state !== 'live') throw noSubscription()
  if ((current.pendingCancellation !== null) === isWanted) return row
  return saveProviderResponse(row, await change(provider, current), provider, ports)
}
