import type { Queryable } from '#db/client/connection.ts'
import {
  type BillingAccount,
  findBillingAccount,
  lockBillingAccount,
  raiseRevision,
  type SubscriptionState,
  updateBillingEventTime,
  updateLockedSubscription,
} from '#db/queries/subscriptions.ts'
import type { Ports } from '../ports.ts'
import { isSameState, selectCurrentSubscription, withSubscription } from './current-subscription.ts'
import type { BillingProvider, ProviderSubscription } from './ports.ts'
import { warnOperator } from './warn-operator.ts'

export interface SyncedSubscription {
  readonly row: BillingAccount
  readonly current: ProviderSubscription | null
  /** What the row said before, where that was something else. */
  readonly before: SubscriptionState | null
}

export interface Customer {
  readonly accountId: string
  readonly customerId: string
  /** What the account's row was in revision when its caller began; unset: it is looked up. */
  readonly revision?: number
  /** When the event happened that has its caller ask, by the provider's clock; noted on the row. */
  readonly toldAt?: string
}

type SettlePorts = Pick<Ports, 'db' | 'log'>

const warnOfStrangeness = async (current: ProviderSubscription, ports: SettlePorts) => {
  const subject = current.id
  if (current.state === 'unknown')
    await warnOperator(
      { name: 'billing_unknown_status', subject, detail: 'A subscription has a status that is not known.' },
      ports,
    )
  if (current.planId === null && current.state !== 'ended')
    await warnOperator(
      { name: 'billing_unknown_price', subject, detail: 'A subscription has a price that no plan has.' },
      ports,
    )
}

const cancelSurplus = async (
  surplus: readonly ProviderSubscription[],
  provider: BillingProvider,
  ports: SettlePorts,
) => {
  for (const { id } of surplus) {
    const detail = 'An account had a second live subscription; it was cancelled.'
    await warnOperator({ name: 'billing_second_subscription', subject: id, detail }, ports)
    await provider.cancelNow(id)
  }
}

const ask = async ({ customerId }: Customer, provider: BillingProvider, ports: SettlePorts) => {
  const { current, surplus } = selectCurrentSubscription(await provider.listSubscriptions(customerId))
  await cancelSurplus(surplus, provider, ports)
  if (current) await warnOfStrangeness(current, ports)
  return current
}

/**
 * Brings an account's row to what the provider says now, in one transaction with `within`.
 *
 * What the provider said is taken over only if nobody else has taken over an answer since before the provider was
 * asked; one that says nothing new raises the revision too. So an answer is never overwritten by an older one, and no
 * clock is needed to tell. A row whose revision has risen twice since this call began holds an answer to a question
 * asked after it began, which is as good as one of its own.
 */
export const syncSubscription = async <T = void>(
  customer: Customer,
  provider: BillingProvider,
  ports: SettlePorts,
  within: (tx: Queryable, settled: SyncedSubscription) => Promise<T>,
): Promise<T> => {
  const { accountId, customerId, toldAt = null } = customer
  const revisionNow = async () => (await findBillingAccount(ports.db.read, accountId))?.revision ?? 0
  const atFirst = customer.revision ?? (await revisionNow())
  for (let revision = atFirst; ; revision = await revisionNow()) {
    const current = await ask(customer, provider, ports)
    const done = await ports.db.tx(async (tx) => {
      const raise = () => raiseRevision(tx, { accountId, revision }, toldAt)
      const known = await raise()
      const locked = known ?? (await lockBillingAccount(tx, accountId))
      // Where the revision is the one that was seen after all, there was no row until now.
      const raised = known ?? (locked.revision === revision ? await raise() : null)
      const before = raised ?? locked
      if (before.billingCustomerId !== null && before.billingCustomerId !== customerId)
        throw new Error('the account has another customer meanwhile')
      if (!raised) {
        if (before.revision < atFirst + 2) return null
        if (toldAt !== null) await updateBillingEventTime(tx, accountId, toldAt)
        return { result: await within(tx, { row: before, current, before: null }) }
      }
      const state = withSubscription(before, customerId, current)
      if (isSameState(before, state))
        return { result: await within(tx, { row: before, current, before: null }) }
      const row = await updateLockedSubscription(tx, accountId, state)
      return { result: await within(tx, { row, current, before }) }
    })
    if (done) return done.result
  }
}

/** The row of an account as the provider has it now. */
export const refreshSubscription = async (
  {
    accountId,
    billingCustomerId: customerId,
    revision,
  }: BillingAccount & { readonly billingCustomerId: string },
  provider: BillingProvider,
  ports: SettlePorts,
): Promise<SyncedSubscription> =>
  syncSubscription({ accountId, customerId, revision }, provider, ports, async (_, settled) => settled)

/** Takes over what the provider answered to a change of the subscription, unless another answer was meanwhile. */
export const saveProviderReply = async (
  seen: BillingAccount,
  reply: ProviderSubscription,
  provider: BillingProvider,
  ports: SettlePorts,
): Promise<BillingAccount> => {
  const { accountId } = seen
  const kept = await ports.db.tx(async (tx) => {
    const raised = await raiseRevision(tx, seen, null)
    return (
      raised && updateLockedSubscription(tx, accountId, withSubscription(raised, reply.customerId, reply))
    )
  })
  if (kept) return kept
  const customer = { accountId, customerId: reply.customerId }
  return syncSubscription(customer, provider, ports, async (_, { row }) => row)
}
