import type { Queryable } from '#db/client/connection.ts'
import { insertOperatorWarning, type OperatorWarning } from '#db/queries/billing/operator-warnings.ts'
import {
  type BillingAccount,
  findBillingAccount,
  incrementRevision,
  lockBillingAccount,
  type SubscriptionState,
  updateBillingEventTime,
  updateLockedSubscription,
} from '#db/queries/billing/subscriptions.ts'
import type { Ports } from '../ports.ts'
import {
  applySubscription,
  hasUnknownPrice,
  isSameState,
  selectCurrentSubscription,
} from './current-subscription.ts'
import type { BillingProvider, ProviderSubscription } from './ports.ts'

export interface SyncedSubscription {
  readonly row: BillingAccount
  readonly current: ProviderSubscription | null
  readonly surplus: readonly ProviderSubscription[]
  readonly before: SubscriptionState | null
}

export interface BillingCustomer {
  readonly accountId: string
  readonly customerId: string
  /** The row's revision when the caller started. Looked up if undefined. */
  readonly revision?: number
  /** When the event behind this sync occurred, according to the provider. Stored in the row. */
  readonly eventAt?: string
}

type SyncPorts = Pick<Ports, 'db' | 'log'>

/** The account has a different customer by now, in place of one that was deleted at the provider. */
class CustomerChangedError extends Error {
  readonly customerId: string

  constructor(customerId: string) {
    super("the account's billing customer has changed")
    this.name = 'CustomerChangedError'
    this.customerId = customerId
  }
}

export const warnOperator = async (warning: OperatorWarning, { db, log }: SyncPorts) => {
  const isNew = await db.tx((tx) => insertOperatorWarning(tx, warning))
  const { name, subject, detail } = warning
  if (isNew) log.warn({ warning: name, subject, detail }, 'operator warning stored')
}

export const warnOnUnknownStatusOrPrice = async (current: ProviderSubscription, ports: SyncPorts) => {
  const subject = current.id
  if (current.state === 'unknown')
    await warnOperator(
      { name: 'billing_unknown_status', subject, detail: 'A subscription has an unknown status.' },
      ports,
    )
  if (hasUnknownPrice(current))
    await warnOperator(
      { name: 'billing_unknown_price', subject, detail: "A subscription's price belongs to no plan." },
      ports,
    )
}

const cancelSurplus = async (
  surplus: readonly ProviderSubscription[],
  provider: BillingProvider,
  ports: SyncPorts,
) => {
  for (const { id } of surplus) {
    const detail = 'An account has a second live subscription, which is being cancelled.'
    await warnOperator({ name: 'billing_second_subscription', subject: id, detail }, ports)
    await provider.cancelNow(id)
  }
}

const fetchCurrentSubscription = async (
  { customerId }: BillingCustomer,
  provider: BillingProvider,
  ports: SyncPorts,
) => {
  const { current, surplus } = selectCurrentSubscription(await provider.listSubscriptions(customerId))
  await cancelSurplus(surplus, provider, ports)
  if (current) await warnOnUnknownStatusOrPrice(current, ports)
  return { current, surplus }
}

/**
 * Syncs an account's row with the provider, in one transaction with `within`. Each save raises the row's revision, and
 * a provider's response is saved only if the revision has not changed since before the request. So an older response
 * never overwrites a newer one, and clocks do not matter. If the revision has risen twice since the start, the row
 * already holds the response to a later request.
 */
export const syncSubscription = async <T = void>(
  customer: BillingCustomer,
  provider: BillingProvider,
  ports: SyncPorts,
  within: (tx: Queryable, synced: SyncedSubscription) => Promise<T>,
): Promise<T> => {
  const { accountId, customerId, eventAt = null } = customer
  const findRevision = async () => (await findBillingAccount(ports.db.read, accountId))?.revision ?? 0
  const initialRevision = customer.revision ?? (await findRevision())
  for (let revision = initialRevision; ; revision = await findRevision()) {
    const fetched = await fetchCurrentSubscription(customer, provider, ports)
    const done = await ports.db.tx(async (tx) => {
      const raise = () => incrementRevision(tx, { accountId, revision }, eventAt)
      const updated = await raise()
      const locked = updated ?? (await lockBillingAccount(tx, accountId))
      // If the revision matches now, the row did not exist until the lock inserted it.
      const raised = updated ?? (locked.revision === revision ? await raise() : null)
      const before = raised ?? locked
      if (before.billingCustomerId !== null && before.billingCustomerId !== customerId)
        throw new CustomerChangedError(before.billingCustomerId)
      if (!raised) {
        if (before.revision < initialRevision + 2) return null
        if (eventAt !== null) await updateBillingEventTime(tx, accountId, eventAt)
        return { result: await within(tx, { row: before, ...fetched, before: null }) }
      }
      const state = applySubscription(before, customerId, fetched.current)
      if (isSameState(before, state))
        return { result: await within(tx, { row: before, ...fetched, before: null }) }
      const row = await updateLockedSubscription(tx, accountId, state)
      return { result: await within(tx, { row, ...fetched, before }) }
    })
    if (done) return done.result
  }
}

/** If the customer has been replaced, syncs the one in its place. */
const syncCustomer = async (
  customer: BillingCustomer,
  provider: BillingProvider,
  ports: SyncPorts,
): Promise<SyncedSubscription> => {
  const sync = (owner: BillingCustomer) =>
    syncSubscription(owner, provider, ports, async (_, synced) => synced)
  return sync(customer).catch((error: unknown) => {
    const { accountId } = customer
    if (error instanceof CustomerChangedError) return sync({ accountId, customerId: error.customerId })
    throw error
  })
}

export const syncAccount = async (
  {
    accountId,
    billingCustomerId: customerId,
    revision,
  }: BillingAccount & { readonly billingCustomerId: string },
  provider: BillingProvider,
  ports: SyncPorts,
): Promise<SyncedSubscription> => syncCustomer({ accountId, customerId, revision }, provider, ports)

/** If the account's row has changed since `known` was read, syncs the account instead. */
export const saveProviderResponse = async (
  known: BillingAccount,
  reply: ProviderSubscription,
  provider: BillingProvider,
  ports: SyncPorts,
): Promise<BillingAccount> => {
  const { accountId } = known
  const saved = await ports.db.tx(async (tx) => {
    const raised = await incrementRevision(tx, known, null)
    return (
      raised && updateLockedSubscription(tx, accountId, applySubscription(raised, reply.customerId, reply))
    )
  })
  if (saved) return saved
  const { row } = await syncCustomer({ accountId, customerId: reply.customerId }, provider, ports)
  return row
}
