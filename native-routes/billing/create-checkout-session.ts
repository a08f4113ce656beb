import { ApiError } from '#contracts/errors.ts'
import { incrementCheckoutCount } from '#db/queries/billing/subscriptions.ts'
import type { Actor, Ports } from '../ports.ts'
import { isLive } from './current-subscription.ts'
import { replaceCustomer } from './ensure-customer.ts'
import type { BillingProvider, CheckoutOrder, HostedSession } from './ports.ts'
import { type SyncedSubscription, saveProviderResponse, syncAccount } from './sync-subscription.ts'

interface CheckoutRequest {
  readonly actor: Actor
  readonly body: { readonly planId: string; readonly returnPath: string }
  readonly linkClickId: string | null
}

// An unknown status may mean a paid subscription.
const requireNotSubscribed = ({ row, current }: SyncedSubscription) => {
  if (isLive(row) || current?.state === 'unknown')
    throw new ApiError('billing_bad_input', { reason: 'already_subscribed' }, { status: 409 })
}

// Ends the loop even if the provider keeps returning a subscription that was already cancelled.
const maxCancellations = 5

const cancelIncompleteSubscriptions = async (
  synced: SyncedSubscription,
  customerId: string,
  provider: BillingProvider,
  ports: Pick<Ports, 'db' | 'log'>,
): Promise<SyncedSubscription> => {
  let latest = synced
  for (let count = 0; latest.current?.state === 'incomplete' && count < maxCancellations; count++) {
    const saved = await saveProviderResponse(
      latest.row,
      await provider.cancelNow(latest.current.id),
      provider,
      ports,
    )
    latest = await syncAccount({ ...saved, billingCustomerId: customerId }, provider, ports)
  }
  return latest
}

// A customer that was deleted at the provider can buy nothing, so the account gets a new one.
const openSession = async (
  actor: Actor,
  order: CheckoutOrder,
  provider: BillingProvider,
  ports: Pick<Ports, 'db'>,
): Promise<HostedSession & { readonly customerId: string }> => {
  const { customerId } = order
  const session = await provider.openCheckout(order)
  if (session) return { ...session, customerId }
  const { billingCustomerId } = await replaceCustomer(actor, customerId, provider, ports)
  return openSession(actor, { ...order, customerId: billingCustomerId }, provider, ports)
}

/**
 * Expires the account's other open sessions and cancels unpaid subscriptions, so the account cannot pay twice. Throws
 * `billing_bad_input` (409, reason `already_subscribed`) if a subscription is active.
 */
export const createCheckoutSession = async (
  { actor, body, linkClickId: clickId }: CheckoutRequest,
  synced: SyncedSubscription,
  customerId: string,
  provider: BillingProvider,
  ports: Pick<Ports, 'db' | 'retries' | 'log'>,
): Promise<HostedSession> => {
  requireNotSubscribed(synced)
  // A first payment may have arrived in the meantime.
  requireNotSubscribed(await cancelIncompleteSubscriptions(synced, customerId, provider, ports))
  const { accountId } = actor
  // A retry must send the same ordinal and click id, or the provider rejects it.
  const numbered = await ports.db.tx((tx) =>
    ports.retries.once(tx, async () => ({ ordinal: await incrementCheckoutCount(tx, accountId), clickId })),
  )
  const order = { accountId, customerId, ...numbered, ...body }
  const { customerId: buyer, ...session } = await openSession(actor, order, provider, ports)
  await provider.expireEarlierCheckouts(buyer)
  return session
}
