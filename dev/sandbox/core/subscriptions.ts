import type { ProviderSubscription } from './billing-provider.ts'
import type { Queryable } from './database.ts'
import type { Plan } from './settings.ts'

export interface Subscription {
  readonly planId: string
  readonly status: string
  readonly billingCustomerId: string | null
  readonly billingSubscriptionId: string | null
  readonly cancelAtPeriodEnd: boolean
  readonly currentPeriodEnd: Date | null
  /** Incremented with each sync from the provider. */
  readonly revision: number
}

const freeSubscription: Subscription = {
  planId: 'free',
  status: 'free',
  billingCustomerId: null,
  billingSubscriptionId: null,
  cancelAtPeriodEnd: false,
  currentPeriodEnd: null,
  revision: 0,
}

export const toCancellation = ({ status, cancelAtPeriodEnd, currentPeriodEnd }: Subscription) => ({
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
  return row ?? freeSubscription
}

const liveStatuses = ['active', 'trialing', 'past_due', 'unpaid']

/**
 * Whether the subscription is in force, even with overdue payments. If it is, the account must not buy a second one.
 */
export const isLive = ({ status }: { readonly status: string }) => liveStatuses.includes(status)

const knownStatuses = [...liveStatuses, 'incomplete', 'canceled']
const statusAliases: Readonly<Record<string, string>> = { paused: 'unpaid', incomplete_expired: 'canceled' }

/** An unknown status becomes `incomplete`, which grants nothing. */
export const mapProviderStatus = ({ status }: ProviderSubscription) =>
  knownStatuses.includes(status) ? status : (statusAliases[status] ?? 'incomplete')

/** Stores the id of an account's customer. If a concurrent request stored one first, returns that id instead. */
export const saveCustomer = async (sql: Queryable, accountId: string, customerId: string) => {
  const [row] = await sql<{ billingCustomerId: string }[]>`
    insert into subscriptions (account_id, billing_customer_id) values (${accountId}, ${customerId})
    on conflict (account_id) do update
      set billing_customer_id = coalesce(subscriptions.billing_customer_id, excluded.billing_customer_id)
    returning billing_customer_id`
  return row?.billingCustomerId ?? customerId
}

/** Returns null if the row has a different revision, because a concurrent sync may have stored newer data. */
export const saveSubscription = async (
  sql: Queryable,
  plans: readonly Plan[],
  { accountId, revision }: { readonly accountId: string; readonly revision: number },
  subscription: ProviderSubscription,
): Promise<Subscription | null> => {
  const plan = plans.find(({ priceId }) => priceId !== null && priceId === subscription.priceId)
  const [row] = await sql<Subscription[]>`
    update subscriptions set
      plan_id = ${plan?.id ?? 'free'}, status = ${mapProviderStatus(subscription)},
      billing_subscription_id = ${subscription.id},
      cancel_at_period_end = ${subscription.endsWithPeriod || subscription.endsOnDate},
      current_period_end = ${subscription.periodEnd}, revision = revision + 1, updated_at = now()
    where account_id = ${accountId} and revision = ${revision} returning ${columns(sql)}`
  return row ?? null
}
