import postgres from 'postgres'
import type { SandboxBilling } from '#sandbox/billing/start-billing.ts'
import type { ProviderEvent } from '#sandbox/deliveries.ts'
import type { Answers } from './deliver.ts'
import { currentOf, type Subscriber } from './subscribers.ts'

interface Evidence {
  readonly databaseUrl: string
  readonly provider: SandboxBilling
  readonly subscribers: readonly Subscriber[]
  readonly told: readonly ProviderEvent[]
  readonly answers: Answers
}

/** Everything that is not as it should be after a storm; empty lists are good. */
export interface Faults {
  /** Events that left nothing in the database. */
  readonly lost: readonly string[]
  /** Events that were taken in more than once, by what was answered or by what the database holds. */
  readonly appliedTwice: readonly string[]
  /** Accounts of which the database does not say what the provider says. */
  readonly differing: readonly string[]
  /** Invoices of purchases through a share link that are not noted exactly once. */
  readonly salesAmiss: readonly string[]
  readonly warnings: readonly string[]
}

const countBy = (keys: readonly string[]) => {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

// A row is known by its event even where the database was made to give it an id of its own.
const eventOfRow = (id: string) => id.split('#', 1)[0] ?? id

const takenInTwice = (kept: ReadonlyMap<string, number>, answers: Answers) => {
  const byRows = [...kept].filter(([, rows]) => rows > 1).map(([id]) => id)
  const byAnswers = [...answers]
    .filter(([, given]) => given.filter((status) => status !== 'duplicate').length > 1)
    .map(([id]) => id)
  return [...new Set([...byRows, ...byAnswers])]
}

const wantedOf = (provider: SandboxBilling, subscriber: Subscriber) => {
  const current = currentOf(provider, subscriber)
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

const invoicesOf = (provider: SandboxBilling) =>
  Object.values(provider.books.sessions).flatMap(({ invoice }) => invoice ?? [])

/** Compares what the gateway made of the events with what the provider told and what it has. */
export const findFaults = async (evidence: Evidence): Promise<Faults> => {
  const { databaseUrl, provider, subscribers, told, answers } = evidence
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    const events = await sql`select id from billing_events`
    const rows = await sql`select * from subscriptions`
    const sales = await sql`select invoice_id from sale_reports`
    const warnings = await sql`select name, subject from operator_warnings`
    const kept = countBy(events.map(({ id }) => eventOfRow(id)))
    const described = new Set(rows.map(describeRow))
    const noted = countBy(sales.map((sale) => String(sale.invoice_id)))
    return {
      lost: told.map(({ id }) => id).filter((id) => !kept.has(id)),
      appliedTwice: takenInTwice(kept, answers),
      differing: subscribers
        .map((subscriber) => wantedOf(provider, subscriber))
        .filter((wanted) => !described.has(wanted)),
      salesAmiss: invoicesOf(provider).filter((invoice) => noted.get(invoice) !== 1),
      warnings: warnings.map(({ name, subject }) => `${name}: ${subject}`),
    }
  } finally {
    await sql.end()
  }
}
