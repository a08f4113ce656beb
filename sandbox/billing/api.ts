import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import {
  CustomerListQuery,
  NewCheckoutSession,
  NewCustomer,
  NewPortalSession,
  parseRequest,
  SubscriptionUpdate,
} from './api-requests.ts'
import {
  type BillingStore,
  createProviderId,
  nowS,
  type Price,
  requireFound,
  type StoredCheckoutSession,
  type StoredCustomer,
  StripeApiError,
} from './billing-store.ts'
import { serializeCustomer, serializeList, serializeSession, serializeSubscription } from './objects.ts'
import type { SubscriptionLifecycle } from './subscription-lifecycle.ts'

export interface ApiParts {
  readonly store: BillingStore
  readonly lifecycle: SubscriptionLifecycle
  readonly prices: readonly Price[]
  /** The base URL of the hosted pages, without a trailing slash. */
  readonly baseUrl: () => string
  readonly openPortal: (portal: { readonly customer: string; readonly returnUrl: string }) => string
  readonly emitSessionEvent: (event: string, session: StoredCheckoutSession) => void
  readonly onChange: () => void
}

const readId = ({ params }: FastifyRequest) => parseRequest(z.object({ id: z.string() }), params).id

export const sendError = (reply: FastifyReply, { status, code, message }: StripeApiError) =>
  reply.code(status).send({ error: { type: 'invalid_request_error', code, message } })

/** Registers the endpoints of the provider's API that the gateway and the core use. */
export const serveApi = (app: FastifyInstance, parts: ApiParts) => {
  const { store, lifecycle, prices } = parts

  const requirePrice = (id: string) => {
    const price = prices.find((candidate) => candidate.id === id)
    if (!price) throw new StripeApiError(400, 'resource_missing', `No such price: '${id}'`)
    return price
  }

  const renderSession = (session: StoredCheckoutSession) =>
    serializeSession(
      session,
      `${parts.baseUrl()}/checkout/${session.id}`,
      prices.find(({ id }) => id === session.priceId),
    )

  app.post('/v1/customers', async ({ body }) => {
    const { email = null, metadata } = parseRequest(NewCustomer, body)
    const customer: StoredCustomer = { id: createProviderId('cus'), created: nowS(), email, metadata }
    store.customers[customer.id] = customer
    parts.onChange()
    return serializeCustomer(customer)
  })

  app.post('/v1/checkout/sessions', async ({ body }) => {
    const order = parseRequest(NewCheckoutSession, body)
    const customer = requireFound(store.customers, order.customer, 'customer')
    const session: StoredCheckoutSession = {
      id: createProviderId('cs'),
      created: nowS(),
      customer: customer.id,
      priceId: requirePrice(order.line_items[0].price).id,
      clientReferenceId: order.client_reference_id ?? null,
      metadata: order.metadata,
      subscriptionMetadata: order.subscription_data.metadata,
      successUrl: order.success_url,
      cancelUrl: order.cancel_url,
      status: 'open',
      subscription: null,
      invoice: null,
    }
    store.sessions[session.id] = session
    parts.onChange()
    return renderSession(session)
  })

  app.get('/v1/checkout/sessions', async ({ query }) => {
    const { customer, status } = parseRequest(CustomerListQuery, query)
    const matching = Object.values(store.sessions).filter(
      (session) => session.customer === customer && (status === undefined || session.status === status),
    )
    return serializeList('/v1/checkout/sessions', matching.reverse().map(renderSession))
  })

  app.post('/v1/checkout/sessions/:id/expire', async (request) => {
    const session = requireFound(store.sessions, readId(request), 'checkout.session')
    if (session.status !== 'open')
      throw new StripeApiError(400, 'resource_invalid_state', 'Only an open session can be expired.')
    session.status = 'expired'
    parts.emitSessionEvent('expired', session)
    return renderSession(session)
  })

  app.post('/v1/billing_portal/sessions', async ({ body }) => {
    const { customer, return_url: returnUrl } = parseRequest(NewPortalSession, body)
    const id = parts.openPortal({
      customer: requireFound(store.customers, customer, 'customer').id,
      returnUrl,
    })
    return { id, object: 'billing_portal.session', customer, url: `${parts.baseUrl()}/portal/${id}` }
  })

  app.get('/v1/subscriptions', async ({ query }) => {
    const { customer, status } = parseRequest(CustomerListQuery, query)
    requireFound(store.customers, customer, 'customer')
    const matching = Object.values(store.subscriptions).filter(
      (subscription) =>
        subscription.customer === customer && (status === 'all' || subscription.status !== 'canceled'),
    )
    return serializeList('/v1/subscriptions', matching.reverse().map(serializeSubscription))
  })

  app.get('/v1/subscriptions/:id', async (request) =>
    serializeSubscription(requireFound(store.subscriptions, readId(request), 'subscription')),
  )

  app.post('/v1/subscriptions/:id', async (request) => {
    const id = readId(request)
    const {
      items,
      cancel_at_period_end: cancelAtPeriodEnd,
      cancel_at: cancelAt,
    } = parseRequest(SubscriptionUpdate, request.body)
    const subscription = requireFound(store.subscriptions, id, 'subscription')
    if (items && items[0].id !== subscription.itemId)
      throw new StripeApiError(400, 'item_added', 'A second item would be added to the subscription.')
    return serializeSubscription(
      lifecycle.change(id, {
        ...(items ? { priceId: requirePrice(items[0].price).id } : {}),
        ...(cancelAtPeriodEnd === undefined ? {} : { cancelAtPeriodEnd: cancelAtPeriodEnd === 'true' }),
        ...(cancelAt === undefined ? {} : { cancelAt: null }),
      }),
    )
  })

  app.delete('/v1/subscriptions/:id', async (request) =>
    serializeSubscription(lifecycle.cancel(readId(request))),
  )
}
