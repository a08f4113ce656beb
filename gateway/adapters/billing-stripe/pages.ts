import Stripe from 'stripe'
import { invalid } from '#contracts/errors.ts'
import type { BillingProvider } from '#native-routes/billing/ports.ts'
import type { Plan } from '../../settings/plans.ts'
import { once, ProviderFailure, type TimeoutBudget } from './client.ts'
import { Metadata, priceOf } from './objects.ts'

interface HostedPages {
  readonly plans: readonly Plan[]
  /** The origin of the app that hosted pages lead back to. */
  readonly appOrigin: () => string
}

type PageCalls = Pick<
  BillingProvider,
  'createCustomer' | 'openCheckout' | 'expireEarlierCheckouts' | 'openPortal'
>

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

/** The calls that lead a customer to the provider's own pages. */
export const createPageCalls = (
  client: Stripe,
  ask: TimeoutBudget,
  { plans, appOrigin }: HostedPages,
): PageCalls => {
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
        line_items: [{ price: priceOf(plans, planId), quantity: 1 }],
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
  }
}
