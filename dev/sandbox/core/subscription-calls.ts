import type { Actor } from './authenticate.ts'
import type { BillingProvider } from './billing-provider.ts'
import { CoreError } from './core-error.ts'
import type { Database } from './database.ts'
import type { Plan } from './entitlements.ts'
import type { ProviderSubscription } from './provider-subscription.ts'
import {
  findSubscription,
  isLive,
  mapProviderStatus,
  type Subscription,
  saveCustomer,
  saveSubscription,
} from './subscriptions.ts'

interface SubscriptionParts {
  readonly sql: Database
  readonly plans: readonly Plan[]
  readonly provider: BillingProvider | null
}

interface ActiveSubscription {
  readonly live: ProviderSubscription
  readonly stored: Subscription
}

export const createNoSubscriptionError = () =>
  new CoreError('billing_bad_input', { reason: 'no_subscription' })

export const createSubscriptionCalls = ({ sql, plans, provider: configured }: SubscriptionParts) => {
  const forSale = plans.filter(({ priceId }) => priceId)

  const requireProvider = (): BillingProvider => {
    if (!configured) throw new CoreError('billing_configuration_error')
    return configured
  }

  const requireProviderWithPlans = () => {
    if (forSale.length === 0) throw new CoreError('billing_configuration_error')
    return requireProvider()
  }

  const requirePriceId = (planId: string): string => {
    const { priceId } = forSale.find(({ id }) => id === planId) ?? {}
    if (!priceId) {
      const availablePlanIds = forSale.map(({ id }) => id)
      throw new CoreError('billing_bad_input', { availablePlanIds }, {}, 400)
    }
    return priceId
  }

  const findOrCreateCustomer = async (provider: BillingProvider, actor: Actor) => {
    const { accountId } = actor
    const { billingCustomerId } = await findSubscription(sql, accountId)
    if (billingCustomerId !== null) return billingCustomerId
    const verifiedEmail = actor.emailVerified ? actor.email : null
    return saveCustomer(sql, accountId, await provider.createCustomer(accountId, verifiedEmail))
  }

  /** The stored subscription can be outdated, because webhooks arrive later. */
  const findLive = async (
    provider: BillingProvider,
    accountId: string,
    customerId: string,
  ): Promise<ActiveSubscription | null> => {
    for (;;) {
      const { billingSubscriptionId, revision } = await findSubscription(sql, accountId)
      const listed = await provider.listSubscriptions(customerId)
      const live = listed.find((subscription) => isLive({ status: mapProviderStatus(subscription) }))
      const current = live ?? listed.find(({ id }) => id === billingSubscriptionId)
      if (!current) return null
      const stored = await saveSubscription(sql, plans, { accountId, revision }, current)
      if (stored) return live ? { live, stored } : null
    }
  }

  const saveChange = async (
    provider: BillingProvider,
    accountId: string,
    { stored: { revision } }: ActiveSubscription,
    changed: ProviderSubscription | null,
  ) => {
    if (!changed) throw createNoSubscriptionError()
    const stored = await saveSubscription(sql, plans, { accountId, revision }, changed)
    if (stored) return stored
    const found = await findLive(provider, accountId, changed.customerId)
    if (!found) throw createNoSubscriptionError()
    return found.stored
  }

  return {
    forSale,
    requireProvider,
    requireProviderWithPlans,
    requirePriceId,
    findOrCreateCustomer,
    findLive,
    saveChange,
  }
}
