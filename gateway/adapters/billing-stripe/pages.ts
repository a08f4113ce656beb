import { createHash } from 'node:crypto'
import type Stripe from 'stripe'
import * as z from 'zod'
import { invalid } from '#contracts/errors.ts'
import type { BillingProvider, NewCustomer } from '#native-routes/billing/ports.ts'
import type { BillingOptions } from '../../settings/billing.ts'
import { type CallRunner, idSegment, isInvalidRequest, type StripeClient, StripeError } from './client.ts'
import { createDeletionCheck } from './deleted-customers.ts'
import { Metadata, requirePriceId } from './objects.ts'

type PageCalls = Pick<
  BillingProvider,
  'createCustomer' | 'openCheckout' | 'expireEarlierCheckouts' | 'openPortal'
>

// Parses the URL as a browser would, so that no path can lead to a different origin.
const buildReturnUrl = (appOrigin: string, returnPath: string) => {
  const { origin } = new URL(appOrigin)
  const url = URL.parse(origin + returnPath)
  if (url?.origin !== origin) throw invalid('returnPath', 'must lead to the app')
  return url.href
}

const Customer = z.object({ id: z.string() })
const HostedSession = z
  .object({ id: z.string(), url: z.string() })
  .transform(({ id, url }) => ({ sessionId: id, url }))
const Sessions = z.object({ data: z.array(z.object({ id: z.string(), metadata: Metadata })) })

const sessionsPath = '/v1/checkout/sessions'
const portalPath = '/v1/billing_portal/sessions'

// For a day, Stripe returns the same customer for a repeated key, even a deleted one. It rejects a key that is reused
// with different parameters, so the email address is part of the hash.
const createCustomerKey = ({ accountId, email, replaces }: NewCustomer) =>
  `customer-${createHash('sha256')
    .update(JSON.stringify([accountId, email, ...(replaces === undefined ? [] : [replaces])]))
    .digest('hex')}`

export const createPageCalls = (
  client: StripeClient,
  runCall: CallRunner,
  { plans, appOrigin }: Pick<BillingOptions, 'plans' | 'appOrigin'>,
): PageCalls => {
  const listOpenSessions = (customerId: string) => {
    const query: Stripe.Checkout.SessionListParams = { customer: customerId, status: 'open', limit: 100 }
    return runCall(async (options) => Sessions.parse(await client.get(sessionsPath, query, options)).data)
  }

  const unlessDeleted = createDeletionCheck(client, runCall)
  const openSession = (path: string, parameters: { readonly customer: string }) =>
    unlessDeleted(parameters.customer, async (options) =>
      HostedSession.parse(await client.post(path, parameters, options)),
    )

  // Stripe rejects the call if the session was completed or expired in the meantime.
  const expire = async (sessionId: string) => {
    await runCall(async (options) => {
      const path = `${sessionsPath}/${idSegment(sessionId)}/expire`
      await client.post(path, {}, options).catch((error) => {
        if (!isInvalidRequest(error)) throw error
      })
    })
  }

  return {
    async createCustomer(account) {
      const { accountId, email } = account
      const idempotencyKey = createCustomerKey(account)
      const customer: Stripe.CustomerCreateParams = {
        metadata: { account_id: accountId },
        ...(email === null ? {} : { email }),
      }
      return runCall(async (options) => {
        const keyed = { ...options, idempotencyKey }
        const created = await client.post('/v1/customers', customer, keyed).catch((error) => {
          // Stripe repeats even its own failure for a day. The account could buy nothing until then.
          if (error instanceof StripeError && error.isReplayed)
            return client.post('/v1/customers', customer, options)
          throw error
        })
        return Customer.parse(created).id
      })
    },

    async openCheckout({ accountId, customerId, planId, returnPath, ordinal, clickId }) {
      const returnUrl = buildReturnUrl(appOrigin(), returnPath)
      const metadata = {
        account_id: accountId,
        checkout_ordinal: String(ordinal),
        ...(clickId === null ? {} : { link_click_id: clickId }),
      }
      const order = {
        mode: 'subscription',
        customer: customerId,
        client_reference_id: accountId,
        line_items: [{ price: requirePriceId(plans, planId), quantity: 1 }],
        success_url: returnUrl,
        cancel_url: returnUrl,
        metadata,
        subscription_data: { metadata: { account_id: accountId } },
      } satisfies Stripe.Checkout.SessionCreateParams
      return openSession(sessionsPath, order)
    },

    async expireEarlierCheckouts(customerId) {
      const sessions = (await listOpenSessions(customerId)).sort(
        (left, right) => right.metadata.checkout - left.metadata.checkout,
      )
      await Promise.all(sessions.slice(1).map(({ id }) => expire(id)))
    },

    openPortal(customerId, returnPath) {
      const portal = {
        customer: customerId,
        return_url: buildReturnUrl(appOrigin(), returnPath),
      } satisfies Stripe.BillingPortal.SessionCreateParams
      return openSession(portalPath, portal)
    },
  }
}
