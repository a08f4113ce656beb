import { ApiError } from '#contracts/errors.ts'
import { countCheckout } from '#db/queries/subscriptions.ts'
import type { Actor, Ports } from '../ports.ts'
import { isLive } from './current-subscription.ts'
import type { BillingProvider, HostedSession } from './ports.ts'
import type { Settled } from './settle-subscription.ts'
import { keepProviderReply } from './settle-subscription.ts'

interface Order {
  readonly actor: Actor
  readonly body: { readonly planId: string; readonly returnPath: string }
  readonly linkClickId: string | null
}

/**
 * Opens the hosted page where an account without a live subscription can buy one. Whatever the account began to buy
 * before can no longer be paid: the open pages expire save for the last one, and a first payment that is still owed is
 * called off.
 */
export const beginCheckout = async (
  { actor: { accountId }, body, linkClickId: clickId }: Order,
  { row, current }: Settled,
  customerId: string,
  provider: BillingProvider,
  ports: Pick<Ports, 'db' | 'log'>,
): Promise<HostedSession> => {
  if (isLive(row) || current?.state === 'unknown')
    throw new ApiError('billing_bad_input', { reason: 'already_subscribed' }, { status: 409 })
  if (current?.state === 'incomplete')
    await keepProviderReply(row, await provider.cancelNow(current.id), provider, ports)
  const ordinal = await ports.db.tx((tx) => countCheckout(tx, accountId))
  const session = await provider.openCheckout({ accountId, customerId, ordinal, clickId, ...body })
  await provider.expireEarlierCheckouts(customerId)
  return session
}
