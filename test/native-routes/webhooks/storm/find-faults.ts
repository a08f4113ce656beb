import postgres from 'postgres'
import type { SandboxBilling } from '#dev/sandbox/billing/start-billing.ts'
import type { ProviderEvent } from '#dev/sandbox/deliveries.ts'
import type { DeliveryStatuses } from './deliver-events.ts'
import { findCurrentSubscription, type Subscriber } from './subscribers.ts'

interface StormEvidence {
  readonly databaseUrl: string
  readonly provider: SandboxBilling
  readonly subscribers: readonly Subscriber[]
  readonly emitted: readonly ProviderEvent[]
  readonly statuses: DeliveryStatuses
}

/** The faults after a storm. If there are none, all lists are empty. */
export interface Faults {
  readonly lost: readonly string[]
  /** Events that were processed more than once, according to the responses or the database. */
  readonly appliedTwice: readonly string[]
  /** Accounts whose subscription differs between the database and the provider. */
  readonly differing: readonly string[]
  /** Invoices of purchases through a share link that are not recorded exactly once. */
  readonly wrongSales: readonly string[]
  readonly warnings: readonly string[]
}

const countBy = (keys: readonly string[]) => {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

// The trigger in the control run appends a suffix to the event's id.
const parseEventId = (id: string) => id.split('#', 1)[0] ?? id

const findAppliedTwice = (stored: ReadonlyMap<string, number>, statuses: DeliveryStatuses) => {
  const byRows = [...stored].filter(([, rows]) => rows > 1).map(([id]) => id)
  const byResponses = [...statuses]
    .filter(([, given]) => given.filter((status) => status !== 'duplicate').length > 1)
    .map(([id]) => id)
  return [...new Set([...byRows, ...byResponses])]
}

const describeExpected = (provider: SandboxBilling, subscriber: Subscriber) => {
  const current = findCurrentSubscription(provider, subscriber)
  if (!current) throw new Error('a subscriber has no subscription')
  const { id, status, priceId, cancelAtPeriodEnd, periodEnd } = current
  const { accountId, customerId } = subscriber
  return [accountId, customerId, id, status, priceId, cancelAtPeriodEnd, periodEnd * 1000].join()
}

const describeRow = (row: postgres.Row) =>
  [
    row.account_id,
    row.billing_customer_id,
    row.billing_subscription_id,
    row.status,
    `price_${row.plan_id}`,
    row.cancel_at_period_end,
    row.current_period_end.valueOf(),
  ].join()

const listInvoices = (provider: SandboxBilling) =>
  Object.values(provider.store.sessions).flatMap(({ invoice }) => invoice ?? [])

export const findFaults = async (evidence: StormEvidence): Promise<Faults> => {
  const { databaseUrl, provider, subscribers, emitted, statuses } = evidence
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    const events = await sql`select id from billing_events`
    const rows = await sql`select * from subscriptions`
    const sales = await sql`select invoice_id from sale_reports`
    const warnings = await sql`select name, subject from operator_warnings`
    const stored = countBy(events.map(({ id }) => parseEventId(id)))
    const described = new Set(rows.map(describeRow))
    const recorded = countBy(sales.map((sale) => String(sale.invoice_id)))
    return {
      lost: emitted.map(({ id }) => id).filter((id) => !stored.has(id)),
      appliedTwice: findAppliedTwice(stored, statuses),
      differing: subscribers
        .map((subscriber) => describeExpected(provider, subscriber))
        .filter((expected) => !described.has(expected)),
      wrongSales: listInvoices(provider).filter((invoice) => recorded.get(invoice) !== 1),
      warnings: warnings.map(({ name, subject }) => `${name}: ${subject}`),
    }
  } finally {
    await sql.end()
  }
}
