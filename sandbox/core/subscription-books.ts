import type { Actor } from './authenticate.ts'
import type { BillingProvider } from './billing-provider.ts'
import type { Database } from './database.ts'
import type { Plan } from './entitlements.ts'
import type { ProviderSubscription } from './provider-subscription.ts'
import { Refusal } from './refusal.ts'
import { findSubscription, isLive, keepCustomer, keepSubscription, statusOf } from './subscriptions.ts'

interface BooksParts {
  readonly sql: Database
  readonly plans: readonly Plan[]
  /** Null: nothing can be bought. */
  readonly provider: BillingProvider | null
}

export const noSubscription = () => new Refusal('billing_bad_input', { reason: 'no_subscription' })

/** What is for sale, and what accounts have of it by the provider's word, which is kept whenever it is heard. */
export const openBooks = ({ sql, plans, provider: configured }: BooksParts) => {
  const forSale = plans.filter(({ priceId }) => priceId)

  const requireProvider = (): BillingProvider => {
    if (!configured) throw new Refusal('billing_configuration_error')
    return configured
  }

  const requireSeller = () => {
    if (forSale.length === 0) throw new Refusal('billing_configuration_error')
    return requireProvider()
  }

  const priceOf = (planId: string): string => {
    const { priceId } = forSale.find(({ id }) => id === planId) ?? {}
    if (!priceId) throw new Refusal('billing_bad_input', {}, {}, 400)
    return priceId
  }

  const customerOf = async (provider: BillingProvider, { accountId, email }: Actor) => {
    const { billingCustomerId } = await findSubscription(sql, accountId)
    return billingCustomerId ?? keepCustomer(sql, accountId, await provider.createCustomer(accountId, email))
  }

  const keep = (accountId: string, subscription: ProviderSubscription) =>
    keepSubscription(sql, plans, accountId, subscription)

  /** What a customer pays for by the provider's own word: it may not have told us yet of what was done there. */
  const findLive = async (provider: BillingProvider, accountId: string, customerId: string) => {
    const listed = await provider.listSubscriptions(customerId)
    const live = listed.find((subscription) => isLive({ status: statusOf(subscription) }))
    const { billingSubscriptionId } = await findSubscription(sql, accountId)
    const current = live ?? listed.find(({ id }) => id === billingSubscriptionId)
    const kept = current && (await keep(accountId, current))
    return live && kept ? { live, kept } : null
  }

  const keepChanged = async (accountId: string, changed: ProviderSubscription | null) => {
    if (!changed) throw noSubscription()
    return keep(accountId, changed)
  }

  return { forSale, requireProvider, requireSeller, priceOf, customerOf, findLive, keepChanged }
}
