import Stripe from 'stripe'
import { invalid } from '#contracts/errors.ts'
import type { BillingProvider } from '#native-routes/billing/ports.ts'
import type { Plan } from '../../settings/plans.ts'
import { addIdempotencyKey, type CallRunner, ProviderFailure } from './client.ts'
import { Metadata, requirePriceId } from './objects.ts'

interface HostedPages {
  readonly plans: readonly Plan[]
  /** The origin of the app to which hosted pages return. */
  readonly appOrigin: () => string
}

type PageCalls = Pick<
  BillingProvider,
  'createCustomer' | 'openCheckout' | 'expireEarlierCheckouts' | 'openPortal'
>

// The URL must have the app's origin after a browser has parsed it, regardless of the path.
const buildReturnUrl = (appOrigin: string, returnPath: string) => {
  const { origin } = new URL(appOrigin)
  const url = URL.parse(origin + returnPath)
  if (url?.origin !== origin) throw invalid('returnPath', 'must lead to the app')
  return url.href
}

const toHostedSession = ({ id, url }: { id: string; url: string | null }) => {
  if (url === null) throw new ProviderFailure('session_without_address')
  return { sessionId: id, url }
}

// A request that is repeated within a day returns the same customer. The provider rejects a key that was used with
// other parameters, so the e-mail address is part of the hash.
const createCustomerKey = async (accountId: string, email: string | null) => {
  const bytes = new TextEncoder().encode(JSON.stringify([accountId, email]))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `customer-${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Creates the calls for customers and the provider's hosted pages. */
export const createPageCalls = (
  client: Stripe,
  runCall: CallRunner,
  { plans, appOrigin }: HostedPages,
): PageCalls => {
  const listOpenSessions = (customerId: string) =>
    runCall((options) =>
      client.checkout.sessions.list({ customer: customerId, status: 'open', limit: 100 }, options),
    )

  // The provider rejects the request for a session that was completed or has expired in the meantime.
  const expire = async (sessionId: string) => {
    await runCall((options) =>
      client.checkout.sessions.expire(sessionId, {}, addIdempotencyKey(options)).catch((error) => {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
      }),
    )
  }

  return {
    async createCustomer({ accountId, email }) {
      const idempotencyKey = await createCustomerKey(accountId, email)
      const customer = { metadata: { account_id: accountId }, ...(email === null ? {} : { email }) }
      return (await runCall((options) => client.customers.create(customer, { ...options, idempotencyKey })))
        .id
    },

    async openCheckout({ accountId, customerId, planId, returnPath, ordinal, clickId }) {
      const returnUrl = buildReturnUrl(appOrigin(), returnPath)
      const metadata = {
        account_id: accountId,
        checkout_ordinal: String(ordinal),
        ...(clickId === null ? {} : { link_click_id: clickId }),
      }
      const order: Stripe.Checkout.SessionCreateParams = {
        mode: 'subscription',
        customer: customerId,
        client_reference_id: accountId,
        line_items: [{ price: requirePriceId(plans, planId), quantity: 1 }],
        success_url: returnUrl,
        cancel_url: returnUrl,
        metadata,
        subscription_data: { metadata: { account_id: accountId } },
      }
      return runCall(async (options) =>
        toHostedSession(await client.checkout.sessions.create(order, addIdempotencyKey(options))),
      )
    },

    async expireEarlierCheckouts(customerId) {
      const { data } = await listOpenSessions(customerId)
      const sessions = data
        .map(({ id, metadata }) => ({ id, ordinal: Metadata.parse(metadata).checkout }))
        .sort((left, right) => right.ordinal - left.ordinal)
      await Promise.all(sessions.slice(1).map(({ id }) => expire(id)))
    },

    openPortal(customerId, returnPath) {
      const portal = { customer: customerId, return_url: buildReturnUrl(appOrigin(), returnPath) }
      return runCall(async (options) =>
        toHostedSession(await client.billingPortal.sessions.create(portal, addIdempotencyKey(options))),
      )
    },
  }
}
