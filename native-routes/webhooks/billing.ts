import { invalid } from '#contracts/errors.ts'
import {
  type BillingEventEnvelope,
  IgnoredBillingEvent,
  lastSecond,
} from '#contracts/shared/provider-events.ts'
import { billing } from '#contracts/webhooks.ts'
import type { Queryable } from '#db/client/connection.ts'
import {
  type BillingEventOutcome,
  insertBillingEvent,
  isBillingEventProcessed,
  updateBillingEventOutcome,
} from '#db/queries/billing/billing-events.ts'
import { insertSaleReport } from '#db/queries/billing/sale-reports.ts'
import {
  type BillingAccount,
  findBillingAccount,
  findBillingAccountOfCustomer,
  saveBillingCustomer,
  updateLockedSubscriptionFromEvent,
} from '#db/queries/billing/subscriptions.ts'
import type { JsonObject } from '#shared/json.ts'
import { applySubscription, isLive, isSameState } from '../billing/current-subscription.ts'
import type { BillingProvider, ParsedBillingEvent, ProviderSubscription } from '../billing/ports.ts'
import {
  type BillingCustomer,
  syncSubscription,
  warnOnUnknownStatusOrPrice,
  warnOperator,
} from '../billing/sync-subscription.ts'
import { defineWebhook } from '../define-webhook.ts'
import type { Ports } from '../ports.ts'

/** Throws `validation_error` for a time after the year 9999. */
const readEventTime = ({ created }: BillingEventEnvelope) => {
  if (created > lastSecond) throw invalid('created', 'must be before the year 10000')
  return new Date(created * 1000).toISOString()
}

// An ended subscription stays ended, and another subscription's event does not replace an active one.
const isApplicable = (row: BillingAccount, { id, state }: ProviderSubscription, occurredAt: string) => {
  if (row.lastEventAt !== null && occurredAt < row.lastEventAt) return false
  if (row.billingSubscriptionId === id) return row.status !== 'canceled'
  if (row.billingSubscriptionId === null) return true
  return !isLive(row) && state !== 'ended'
}

/**
 * Applies an event's content, for deployments without a provider API key. Returns whether it was applied. Events are
 * ordered only by the provider's times; within one second, the later arrival wins. An event that has no subscription or
 * is not applied makes no other event stale.
 */
export const processBillingEvent = async (
  tx: Queryable,
  { accountId, customerId }: BillingCustomer,
  { subscription }: ParsedBillingEvent,
  occurredAt: string,
): Promise<boolean> => {
  const row = await saveBillingCustomer(tx, accountId, customerId)
  // A different customer has been saved since the owner was found. The provider will deliver the event again.
  if (row.billingCustomerId !== customerId) throw new Error("the account's billing customer has changed")
  if (!subscription) return true
  if (!isApplicable(row, subscription, occurredAt)) return false
  const state = applySubscription(row, customerId, subscription)
  const isUnchanged = isSameState(row, state)
  if (!isUnchanged || row.lastEventAt !== occurredAt)
    await updateLockedSubscriptionFromEvent(tx, accountId, occurredAt, isUnchanged ? null : state)
  return true
}

type Outcome = BillingEventOutcome | 'duplicate'

const recordEvent = async (
  tx: Queryable,
  event: BillingEventEnvelope,
  outcome: BillingEventOutcome,
  accountId: string | null = null,
): Promise<Outcome> => {
  const { id, type } = event
  const row = { id, type, outcome, accountId, occurredAt: readEventTime(event) }
  return (await insertBillingEvent(tx, row)) ? outcome : 'duplicate'
}

// An event without an id, type or time cannot be recorded.
const recordIgnored = async (delivery: JsonObject, ports: Ports): Promise<Outcome> => {
  const { data: event } = IgnoredBillingEvent.safeParse(delivery)
  if (!event) return 'ignored'
  const { id, type, created: occurredAt } = event
  const row = { id, type, outcome: 'ignored', accountId: null, occurredAt } as const
  return (await ports.db.tx((tx) => insertBillingEvent(tx, row))) ? 'ignored' : 'duplicate'
}

const recordSale = async (tx: Queryable, { sale }: ParsedBillingEvent, { accountId }: BillingCustomer) => {
  if (sale) await insertSaleReport(tx, { ...sale, accountId })
}

const recordUnresolvedOwner = async (event: BillingEventEnvelope, ports: Ports) => {
  const detail = `The owner of a billing event (${event.type}) cannot be resolved.`
  const name = 'billing_webhook_unresolved_owner'
  await warnOperator({ name, subject: event.id, detail }, ports)
  return ports.db.tx((tx) => recordEvent(tx, event, 'unresolved_owner'))
}

const isStale = (event: BillingEventEnvelope, lastEventAt: string | null) =>
  lastEventAt !== null && readEventTime(event) < lastEventAt

const syncOwner = (
  event: BillingEventEnvelope,
  parsed: ParsedBillingEvent,
  owner: BillingCustomer,
  provider: BillingProvider,
  ports: Ports,
) => {
  const customer = { ...owner, eventAt: readEventTime(event) }
  return syncSubscription(customer, provider, ports, async (tx, { row, before }) => {
    const outcome = before === null && isStale(event, row.lastEventAt) ? 'stale' : 'processed'
    const recorded = await recordEvent(tx, event, outcome, owner.accountId)
    if (recorded !== 'duplicate') await recordSale(tx, parsed, owner)
    return recorded
  })
}

// Without a provider to query, the event's own content is applied. The event is recorded first, so that a repeated
// delivery cannot undo another event applied in between.
const applyEvent = async (
  event: BillingEventEnvelope,
  parsed: ParsedBillingEvent,
  owner: BillingCustomer,
  ports: Ports,
) => {
  if (parsed.subscription) await warnOnUnknownStatusOrPrice(parsed.subscription, ports)
  return ports.db.tx(async (tx): Promise<Outcome> => {
    const recorded = await recordEvent(tx, event, 'processed', owner.accountId)
    if (recorded === 'duplicate') return recorded
    const isApplied = await processBillingEvent(tx, owner, parsed, readEventTime(event))
    if (!isApplied) await updateBillingEventOutcome(tx, event.id, 'stale')
    await recordSale(tx, parsed, owner)
    return isApplied ? recorded : 'stale'
  })
}

// The subscription's metadata may name the account.
const findSubscriptionOfEvent = async (
  { subscription, subscriptionId }: ParsedBillingEvent,
  provider: BillingProvider | null,
) => subscription ?? (subscriptionId && provider ? await provider.findSubscription(subscriptionId) : null)

/**
 * Returns null if neither our metadata nor the stored customer names an account, or if they name different ones. Also
 * returns null if the event's reference, which the buyer may have chosen, names a different account.
 */
const findBillingOwner = async (
  event: ParsedBillingEvent,
  provider: BillingProvider | null,
  { db }: Pick<Ports, 'db'>,
): Promise<BillingCustomer | null> => {
  const subscription = await findSubscriptionOfEvent(event, provider)
  const customerId = event.customerId ?? subscription?.customerId ?? null
  if (customerId === null) return null
  const known = await findBillingAccountOfCustomer(db.read, customerId)
  const accountIds = [event.accountId, subscription?.accountId, known?.accountId]
  const [accountId, ...others] = new Set(accountIds.filter((id) => typeof id === 'string'))
  if (accountId === undefined || others.length > 0) return null
  if (event.referenceId !== null && event.referenceId !== accountId) return null
  const row = known ?? (await findBillingAccount(db.read, accountId))
  const isOfOtherCustomer =
    row !== null && row.billingCustomerId !== null && row.billingCustomerId !== customerId
  return isOfOtherCustomer ? null : { accountId, customerId, revision: row?.revision ?? 0 }
}

const processEvent = async (event: BillingEventEnvelope, ports: Ports): Promise<Outcome> => {
  const parsed = ports.billing.parseEvent(event)
  if (!parsed) return recordIgnored(event, ports)
  if (await isBillingEventProcessed(ports.db.read, event.id)) return 'duplicate'
  const provider = ports.billing.connect()
  const owner = await findBillingOwner(parsed, provider, ports)
  if (!owner) return recordUnresolvedOwner(event, ports)
  return provider ? syncOwner(event, parsed, owner, provider, ports) : applyEvent(event, parsed, owner, ports)
}

/**
 * The provider is the source of truth. An event only triggers a sync with the provider's current state, so repeated,
 * late and reordered events have the same result.
 */
export const receiveBillingEvent = defineWebhook(
  billing,
  async (event, ports) => ({
    received: true as const,
    status: await processEvent(event, ports),
    type: event.type,
  }),
  async (delivery, ports) => {
    if (ports.billing.parseEvent(delivery)) return null
    const type = typeof delivery.type === 'string' ? delivery.type : ''
    return { received: true as const, status: await recordIgnored(delivery, ports), type }
  },
)
