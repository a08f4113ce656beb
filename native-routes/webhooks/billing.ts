import type { BillingEvent } from '#contracts/shared/provider-events.ts'
import { billing } from '#contracts/webhooks.ts'
import type { Queryable } from '#db/client/connection.ts'
import {
  type BillingEventOutcome,
  insertBillingEvent,
  isBillingEventProcessed,
  updateBillingEventOutcome,
} from '#db/queries/billing-events.ts'
import { insertSaleReport } from '#db/queries/sale-reports.ts'
import type { BillingProvider, ParsedBillingEvent } from '../billing/ports.ts'
import { type Customer, syncSubscription } from '../billing/sync-subscription.ts'
import { warnOperator } from '../billing/warn-operator.ts'
import { defineWebhook } from '../define-webhook.ts'
import type { Ports } from '../ports.ts'
import { findBillingOwner } from './find-billing-owner.ts'
import { billingEventTime, processBillingEvent } from './process-billing-event.ts'

type Outcome = BillingEventOutcome | 'duplicate'

const keep = async (
  tx: Queryable,
  event: BillingEvent,
  outcome: BillingEventOutcome,
  accountId: string | null = null,
): Promise<Outcome> => {
  const { id, type } = event
  const isNew = await insertBillingEvent(tx, {
    id,
    type,
    outcome,
    accountId,
    occurredAt: billingEventTime(event),
  })
  return isNew ? outcome : 'duplicate'
}

const noteSale = async (tx: Queryable, { sale }: ParsedBillingEvent, { accountId }: Customer) => {
  if (sale) await insertSaleReport(tx, { ...sale, accountId })
}

const reportUnresolved = async (event: BillingEvent, ports: Ports) => {
  const detail = `The owner of a billing event (${event.type}) cannot be resolved.`
  const name = 'billing_webhook_unresolved_owner'
  await warnOperator({ name, subject: event.id, detail }, ports)
  return ports.db.tx((tx) => keep(tx, event, 'unresolved_owner'))
}

// Older than what was applied, and the provider has nothing to add.
const isStale = (event: BillingEvent, lastEventAt: string | null) =>
  lastEventAt !== null && billingEventTime(event) < lastEventAt

const settle = (
  event: BillingEvent,
  news: ParsedBillingEvent,
  owner: Customer,
  provider: BillingProvider,
  ports: Ports,
) => {
  const customer = { ...owner, toldAt: billingEventTime(event) }
  return syncSubscription(customer, provider, ports, async (tx, { row, before }) => {
    const outcome = before === null && isStale(event, row.lastEventAt) ? 'stale' : 'processed'
    const kept = await keep(tx, event, outcome, owner.accountId)
    if (kept !== 'duplicate') await noteSale(tx, news, owner)
    return kept
  })
}

// Kept first: a second delivery must not be applied, for in between there may have been another event.
const applyAlone = (event: BillingEvent, news: ParsedBillingEvent, owner: Customer, { db }: Ports) =>
  db.tx(async (tx): Promise<Outcome> => {
    const kept = await keep(tx, event, 'processed', owner.accountId)
    if (kept === 'duplicate') return kept
    const isNews = await processBillingEvent(tx, owner, news, billingEventTime(event))
    if (!isNews) await updateBillingEventOutcome(tx, event.id, 'stale')
    await noteSale(tx, news, owner)
    return isNews ? kept : 'stale'
  })

const takeIn = async (event: BillingEvent, ports: Ports): Promise<Outcome> => {
  if (await isBillingEventProcessed(ports.db.read, event.id)) return 'duplicate'
  const news = ports.billing.read(event)
  if (!news) return ports.db.tx((tx) => keep(tx, event, 'ignored'))
  const provider = ports.billing.connect()
  const owner = await findBillingOwner(news, provider, ports)
  if (!owner) return reportUnresolved(event, ports)
  return provider ? settle(event, news, owner, provider, ports) : applyAlone(event, news, owner, ports)
}

/**
 * What the provider tells is the truth about subscriptions. An event is a reason to look: the row takes on what the
 * provider says at that moment, so that repeated, late and disordered events all lead to the same end.
 */
export const receiveBillingEvent = defineWebhook(billing, {
  requireSignature: (header, ports) => ports.billing.requireSignature(header),
  handle: async (event, ports) => ({
    received: true as const,
    status: await takeIn(event, ports),
    type: event.type,
  }),
})
