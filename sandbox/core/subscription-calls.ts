import type { Actor } from './authenticate.ts'
import type { BillingProvider } from './billing-provider.ts'
import { CoreError } from './core-error.ts'
import type { Database } from './database.ts'
import type { Plan } from './entitlements.ts'
import type { ProviderSubscription } from './provider-subscription.ts'
import {
  findSubscription,
  isLive,
  type Subscription,
  saveCustomer,
  saveSubscription,
  statusOf,
} from './subscriptions.ts'

interface BooksParts {
  readonly sql: Database
  readonly plans: readonly Plan[]
  /** Null: nothing can be bought. */
  readonly provider: BillingProvider | null
}

interface Found {
  readonly live: ProviderSubscription
  readonly kept: Subscription
}

export const noSubscription = () => new CoreError('billing_bad_input', { reason: 'no_subscription' })

/** What is for sale, and what accounts have of it by the provider's word, which is kept whenever it is heard. */
export const createSubscriptionCalls = ({ sql, plans, provider: configured }: BooksParts) => {
  const forSale = plans.filter(({ priceId }) => priceId)

  const requireProvider = (): BillingProvider => {
    if (!configured) throw new CoreError('billing_configuration_error')
    return configured
  }

  const requireSeller = () => {
    if (forSale.length === 0) throw new CoreError('billing_configuration_error')
    return requireProvider()
  }

  const priceOf = (planId: string): string => {
    const { priceId } = forSale.find(({ id }) => id === planId) ?? {}
    if (!priceId) throw new CoreError('billing_bad_input', {}, {}, 400)
    return priceId
  }

  const customerOf = async (provider: BillingProvider, { accountId, email }: Actor) => {
    const { billingCustomerId } = await findSubscription(sql, accountId)
    return billingCustomerId ?? saveCustomer(sql, accountId, await provider.createCustomer(accountId, email))
  }

  /** What a customer pays for by the provider's own word: it may not have told us yet of what was done there. */
  const findLive = async (
    provider: BillingProvider,
    accountId: string,
    customerId: string,
  ): Promise<Found | null> => {
    for (;;) {
      const { billingSubscriptionId, revision } = await findSubscription(sql, accountId)
      const listed = await provider.listSubscriptions(customerId)
      const live = listed.find((subscription) => isLive({ status: statusOf(subscription) }))
      const current = live ?? listed.find(({ id }) => id === billingSubscriptionId)
      if (!current) return null
      const kept = await saveSubscription(sql, plans, { accountId, revision }, current)
      if (kept) return live ? { live, kept } : null
    }
  }

  const keepChanged = async (
    provider: BillingProvider,
    accountId: string,
    { kept: { revision } }: Found,
    changed: ProviderSubscription | null,
  ) => {
    if (!changed) throw noSubscription()
    const kept = await saveSubscription(sql, plans, { accountId, revision }, changed)
    if (kept) return kept
    const found = await findLive(provider, accountId, changed.customerId)
    if (!found) throw noSubscription()
    return found.kept
  }

  return { forSale, requireProvider, requireSeller, priceOf, customerOf, findLive, keepChanged }
}
