import { ApiError } from '#contracts/errors.ts'
import { countCheckout } from '#db/queries/subscriptions.ts'
import type { Actor, Ports } from '../ports.ts'
import { isLive } from './current-subscription.ts'
import type { BillingProvider, HostedSession } from './ports.ts'
import { refreshSubscription, type SyncedSubscription, saveProviderReply } from './sync-subscription.ts'

interface Order {
  readonly actor: Actor
  readonly body: { readonly planId: string; readonly returnPath: string }
  readonly linkClickId: string | null
}

const refuseSubscribed = ({ row, current }: SyncedSubscription) => {
  if (isLive(row) || current?.state === 'unknown')
    throw new ApiError('billing_bad_input', { reason: 'already_subscribed' }, { status: 409 })
}

// More are owed by nobody, unless the provider goes on telling of one that it has called off.
const mostFirstPayments = 5

const callOffFirstPayments = async (
  settled: SyncedSubscription,
  customerId: string,
  provider: BillingProvider,
  ports: Pick<Ports, 'db' | 'log'>,
): Promise<SyncedSubscription> => {
  let latest = settled
  for (let count = 0; latest.current?.state === 'incomplete' && count < mostFirstPayments; count++) {
    const kept = await saveProviderReply(
      latest.row,
      await provider.cancelNow(latest.current.id),
      provider,
      ports,
    )
    latest = await refreshSubscription({ ...kept, billingCustomerId: customerId }, provider, ports)
  }
  return latest
}

/**
 * Opens the hosted page where an account without a live subscription can buy one. Whatever the account began to buy
 * before can no longer be paid: the open pages expire save for the last one, and first payments that are still owed are
 * called off.
 */
export const beginCheckout = async (
  { actor: { accountId }, body, linkClickId: clickId }: Order,
  settled: SyncedSubscription,
  customerId: string,
  provider: BillingProvider,
  ports: Pick<Ports, 'db' | 'log'>,
): Promise<HostedSession> => {
  refuseSubscribed(settled)
  // One of them may have been made meanwhile.
  refuseSubscribed(await callOffFirstPayments(settled, customerId, provider, ports))
  const ordinal = await ports.db.tx((tx) => countCheckout(tx, accountId))
  const session = await provider.openCheckout({ accountId, customerId, ordinal, clickId, ...body })
  await provider.expireEarlierCheckouts(customerId)
  return session
}
