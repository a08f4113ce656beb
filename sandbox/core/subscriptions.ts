import type { Queryable } from './database.ts'
import type { Plan } from './entitlements.ts'
import type { ProviderSubscription } from './provider-subscription.ts'

/** What this service knows of an account's subscription. */
export interface Subscription {
  readonly planId: string
  readonly status: string
  readonly billingCustomerId: string | null
  readonly billingSubscriptionId: string | null
  readonly cancelAtPeriodEnd: boolean
  readonly currentPeriodEnd: Date | null
  /** Rises with every answer of the provider that is taken over. */
  readonly revision: number
}

const none: Subscription = {
  planId: 'free',
  status: 'free',
  billingCustomerId: null,
  billingSubscriptionId: null,
  cancelAtPeriodEnd: false,
  currentPeriodEnd: null,
  revision: 0,
}

/** The part of it that a cancellation is about. */
export const cancellationOf = ({ status, cancelAtPeriodEnd, currentPeriodEnd }: Subscription) => ({
  status,
  cancelAtPeriodEnd,
  currentPeriodEnd,
})

const columns = (sql: Queryable) => sql`
  plan_id, status, billing_customer_id, billing_subscription_id, cancel_at_period_end, current_period_end,
  revision`

export const findSubscription = async (sql: Queryable, accountId: string): Promise<Subscription> => {
  const [row] = await sql<Subscription[]>`
    select ${columns(sql)} from subscriptions where account_id = ${accountId}`
  return row ?? none
}

const liveStatuses = ['active', 'trialing', 'past_due', 'unpaid']

/** Whether it runs, paid for or not: a second one beside it would be a second bill. */
export const isLive = ({ status }: { readonly status: string }) => liveStatuses.includes(status)

const knownStatuses = [...liveStatuses, 'incomplete', 'canceled']
const otherNames: Readonly<Record<string, string>> = { paused: 'unpaid', incomplete_expired: 'canceled' }

/** The provider's status in our words; one that nobody knows entitles to nothing. */
export const statusOf = ({ status }: ProviderSubscription) =>
  knownStatuses.includes(status) ? status : (otherNames[status] ?? 'incomplete')

/** Keeps an account's customer; of two that were made at once the first one stays. */
export const saveCustomer = async (sql: Queryable, accountId: string, customerId: string) => {
  const [row] = await sql<{ billingCustomerId: string }[]>`
    insert into subscriptions (account_id, billing_customer_id) values (${accountId}, ${customerId})
    on conflict (account_id) do update
      set billing_customer_id = coalesce(subscriptions.billing_customer_id, excluded.billing_customer_id)
    returning billing_customer_id`
  return row?.billingCustomerId ?? customerId
}

/**
 * Keeps what the provider has answered, as the webhook would, and shows it as it is kept. Null where another answer was
 * kept since the row was seen: it may be the newer one.
 */
export const saveSubscription = async (
  sql: Queryable,
  plans: readonly Plan[],
  { accountId, revision }: { readonly accountId: string; readonly revision: number },
  subscription: ProviderSubscription,
): Promise<Subscription | null> => {
  const plan = plans.find(({ priceId }) => priceId !== null && priceId === subscription.priceId)
  const [row] = await sql<Subscription[]>`
    update subscriptions set
      plan_id = ${plan?.id ?? 'free'}, status = ${statusOf(subscription)},
      billing_subscription_id = ${subscription.id},
      cancel_at_period_end = ${subscription.endsWithPeriod || subscription.endsOnDate},
      current_period_end = ${subscription.periodEnd}, revision = revision + 1, updated_at = now()
    where account_id = ${accountId} and revision = ${revision} returning ${columns(sql)}`
  return row ?? null
}
