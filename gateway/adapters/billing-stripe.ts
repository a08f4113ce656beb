import Stripe from 'stripe'
import { ApiError, invalid } from '#contracts/errors.ts'
import type { BillingPort, BillingProvider } from '#native-routes/billing/ports.ts'
import type { Plan } from '../settings.ts'
import { createAsker, isMissing, openClient, ProviderFailure, refusalOf } from './billing-stripe-client.ts'
import { readBillingEvent, verifyBillingSignature } from './billing-stripe-events.ts'
import { Metadata, planItemOf, readSubscription, SubscriptionObject } from './billing-stripe-objects.ts'

interface BillingOptions {
  /** Unset: nothing can be bought. */
  readonly secretKey: string | undefined
  /** Unset: the provider's own. */
  readonly apiBase: string | undefined
  /** Unset: every delivery is refused. */
  readonly webhookSecret: string | undefined
  readonly plans: readonly Plan[]
  /** The origin of the app that hosted pages lead back to. */
  readonly appOrigin: () => string
}

// The page must lie within the app, whatever a browser makes of its path.
const returnUrlOf = (appOrigin: string, returnPath: string) => {
  const { origin } = new URL(appOrigin)
  const url = URL.parse(origin + returnPath)
  if (url?.origin !== origin) throw invalid('returnPath', 'must lead to the app')
  return url.href
}

const hosted = ({ id, url }: { id: string; url: string | null }) => {
  if (url === null) throw new ProviderFailure('session_without_address')
  return { sessionId: id, url }
}

// A request that is repeated within a day is answered with the same customer; the provider refuses a key it has seen
// with other parameters, so the address is part of it, unreadably.
const customerKey = async (accountId: string, email: string | null) => {
  const bytes = new TextEncoder().encode(JSON.stringify([accountId, email]))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `customer-${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

const createProvider = (client: Stripe, { plans, appOrigin }: BillingOptions): BillingProvider => {
  const ask = createAsker()
  const once = (options: Stripe.RequestOptions) => ({ ...options, idempotencyKey: crypto.randomUUID() })

  const askSubscription = async (call: (options: Stripe.RequestOptions) => Promise<Stripe.Subscription>) =>
    ask(async (options) => SubscriptionObject.parse(await call(options)))
  const read = (object: SubscriptionObject) => readSubscription(object, plans)

  const priceOf = (planId: string) => {
    const priceId = plans.find(({ id }) => id === planId)?.priceId
    if (!priceId) throw new ApiError('billing_bad_input')
    return priceId
  }

  const openSessions = (customerId: string) =>
    ask((options) =>
      client.checkout.sessions.list({ customer: customerId, status: 'open', limit: 100 }, options),
    )

  // One that has been completed or has expired meanwhile cannot be expired any more.
  const expire = async (sessionId: string) => {
    await ask((options) =>
      client.checkout.sessions.expire(sessionId, {}, once(options)).catch((error) => {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
      }),
    )
  }

  return {
    async createCustomer({ accountId, email }) {
      const idempotencyKey = await customerKey(accountId, email)
      const customer = { metadata: { account_id: accountId }, ...(email === null ? {} : { email }) }
      return (await ask((options) => client.customers.create(customer, { ...options, idempotencyKey }))).id
    },

    async openCheckout({ accountId, customerId, planId, returnPath, ordinal, clickId }) {
      const returnUrl = returnUrlOf(appOrigin(), returnPath)
      const metadata = {
        account_id: accountId,
        checkout_ordinal: String(ordinal),
        ...(clickId === null ? {} : { link_click_id: clickId }),
      }
      const order: Stripe.Checkout.SessionCreateParams = {
        mode: 'subscription',
        customer: customerId,
        client_reference_id: accountId,
        line_items: [{ price: priceOf(planId), quantity: 1 }],
        success_url: returnUrl,
        cancel_url: returnUrl,
        metadata,
        subscription_data: { metadata: { account_id: accountId } },
      }
      return ask(async (options) => hosted(await client.checkout.sessions.create(order, once(options))))
    },

    async expireEarlierCheckouts(customerId) {
      const { data } = await openSessions(customerId)
      const sessions = data
        .map(({ id, metadata }) => ({ id, ordinal: Metadata.parse(metadata).checkout }))
        .sort((left, right) => right.ordinal - left.ordinal)
      await Promise.all(sessions.slice(1).map(({ id }) => expire(id)))
    },

    openPortal(customerId, returnPath) {
      const portal = { customer: customerId, return_url: returnUrlOf(appOrigin(), returnPath) }
      return ask(async (options) => hosted(await client.billingPortal.sessions.create(portal, once(options))))
    },

    findSubscription: (subscriptionId) =>
      ask(async (options) => {
        try {
          return read(
            SubscriptionObject.parse(await client.subscriptions.retrieve(subscriptionId, {}, options)),
          )
        } catch (error) {
          if (isMissing(error)) return null
          throw error
        }
      }),

    listSubscriptions: (customerId) =>
      ask(async (options) => {
        try {
          const query = { customer: customerId, status: 'all', limit: 100 } as const
          const { data } = await client.subscriptions.list(query, options)
          return data.map((object) => read(SubscriptionObject.parse(object)))
        } catch (error) {
          if (isMissing(error)) return []
          throw error
        }
      }),

    async changePlan(subscriptionId, planId) {
      const price = priceOf(planId)
      const subscription = await askSubscription((options) =>
        client.subscriptions.retrieve(subscriptionId, {}, options),
      )
      // Without its id the item would be added to the one that is there.
      const id = planItemOf(subscription, plans)?.id
      if (id === undefined) throw refusalOf(new ProviderFailure('subscription_without_item'))
      const change: Stripe.SubscriptionUpdateParams = {
        items: [{ id, price }],
        proration_behavior: 'create_prorations',
      }
      return read(
        await askSubscription((options) =>
          client.subscriptions.update(subscriptionId, change, once(options)),
        ),
      )
    },

    async cancelAtPeriodEnd(subscriptionId) {
      const change = { cancel_at_period_end: true }
      return read(
        await askSubscription((options) =>
          client.subscriptions.update(subscriptionId, change, once(options)),
        ),
      )
    },

    async resume({ id, pendingCancellation }) {
      const change: Stripe.SubscriptionUpdateParams =
        pendingCancellation === 'on-a-date' ? { cancel_at: '' } : { cancel_at_period_end: false }
      return read(await askSubscription((options) => client.subscriptions.update(id, change, once(options))))
    },

    async cancelNow(subscriptionId) {
      return read(
        await askSubscription((options) =>
          client.subscriptions.cancel(subscriptionId, { prorate: true }, once(options)),
        ),
      )
    },
  }
}

/** Billing by Stripe, through its own client. Its prices stay in here: to everybody else there are plans. */
export const createStripeBilling = (options: BillingOptions): BillingPort => {
  const { secretKey, apiBase, webhookSecret, plans } = options
  let client: Stripe | undefined
  return {
    availablePlanIds: plans.filter(({ priceId }) => priceId !== null).map(({ id }) => id),
    connect() {
      if (secretKey === undefined) return null
      client ??= openClient(secretKey, apiBase)
      return createProvider(client, options)
    },
    verify: (delivery) => verifyBillingSignature(delivery, webhookSecret, new Date()),
    read: (event) => readBillingEvent(event, plans),
  }
}
