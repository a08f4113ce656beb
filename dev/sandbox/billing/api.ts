import { Hono } from 'hono'
import * as z from 'zod'
import type { Deliveries, DeliveryFaults } from '../deliveries.ts'
import {
  type BillingStore,
  createProviderId,
  nowS,
  type Portal,
  type Price,
  requireFound,
  type StoredCheckoutSession,
  type StoredCustomer,
  StripeApiError,
} from './billing-store.ts'
import { parseForm } from './form.ts'
import { serializeCustomer, serializeList, serializeSession, serializeSubscription } from './objects.ts'
import type { SubscriptionLifecycle } from './subscription-lifecycle.ts'

// These schemas ignore parameters that the sandbox does not simulate. All values are strings, because requests are
// forms.
const metadata = z.record(z.string(), z.string()).default({})
// Form lists are parsed as objects keyed by index (see form.ts). Only the first entry is used.
const formListOfOne = <T extends z.ZodType>(entry: T) => z.object({ 0: entry })

const NewCustomer = z.object({ email: z.string().optional(), metadata })
const NewCheckoutSession = z.object({
  mode: z.literal('subscription'),
  customer: z.string(),
  client_reference_id: z.string().optional(),
  line_items: formListOfOne(z.object({ price: z.string(), quantity: z.literal('1') })),
  success_url: z.url(),
  cancel_url: z.url(),
  metadata,
  subscription_data: z.object({ metadata }).default({ metadata: {} }),
})
const NewPortalSession = z.object({ customer: z.string(), return_url: z.url() })
const SubscriptionUpdate = z.object({
  items: formListOfOne(z.object({ id: z.string().optional(), price: z.string() })).optional(),
  cancel_at_period_end: z.enum(['true', 'false']).optional(),
  // An empty value removes the date.
  cancel_at: z.literal('').optional(),
})
const CustomerListQuery = z.object({ customer: z.string(), status: z.string().optional() })

const parseRequest = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const path = parsed.error.issues[0]?.path.join('.') ?? ''
  throw new StripeApiError(400, 'parameter_invalid', `Invalid parameter: ${path}`)
}

export interface ApiRequest {
  readonly method: string
  readonly path: string
}

export interface Behaviour extends DeliveryFaults {
  readonly delayMs: number
  /** Whether the API closes every connection without a response. */
  readonly down: boolean
}

/** What the API and the provider's pages share. */
export interface BillingParts {
  readonly store: BillingStore
  readonly lifecycle: SubscriptionLifecycle
  readonly prices: readonly Price[]
  readonly portals: Map<string, Portal>
  readonly deliveries: Deliveries
  readonly requests: readonly ApiRequest[]
  readonly baseUrl: () => string
  readonly behaviour: () => Behaviour
  readonly setBehaviour: (change: Partial<Behaviour>) => void
  /** The API closes the connection of every request about these customers. */
  readonly unreachable: Set<string>
  /** No more events about these customers are delivered. */
  readonly silenced: Set<string>
  readonly emitSessionEvent: (event: string, session: StoredCheckoutSession) => void
  readonly onChange: () => void
}

export const createApi = (parts: BillingParts) => {
  const app = new Hono()
  const { store, lifecycle, prices } = parts

  const requirePrice = (id: string) => {
    const price = prices.find((candidate) => candidate.id === id)
    if (!price) throw new StripeApiError(400, 'resource_missing', `No such price: '${id}'`)
    return price
  }

  const requireCustomer = (id: string) => {
    const customer = requireFound(store.customers, id, 'customer')
    if (customer.deleted) throw new StripeApiError(400, 'resource_missing', `No such customer: '${id}'`)
    return customer
  }

  const renderSession = (session: StoredCheckoutSession) =>
    serializeSession(
      session,
      `${parts.baseUrl()}/checkout/${session.id}`,
      prices.find(({ id }) => id === session.priceId),
    )

  app.post('/v1/customers', async ({ req, json }) => {
    const { email = null, metadata } = parseRequest(NewCustomer, parseForm(await req.text()))
    const customer: StoredCustomer = { id: createProviderId('cus'), created: nowS(), email, metadata }
    store.customers[customer.id] = customer
    parts.onChange()
    return json(serializeCustomer(customer))
  })

  app.get('/v1/customers/:id', ({ req, json }) =>
    json(serializeCustomer(requireFound(store.customers, req.param('id'), 'customer'))),
  )

  app.delete('/v1/customers/:id', ({ req, json }) => {
    const customer = requireCustomer(req.param('id'))
    customer.deleted = true
    lifecycle.cancelAllOf(customer.id)
    parts.onChange()
    return json(serializeCustomer(customer))
  })

  app.post('/v1/checkout/sessions', async ({ req, json }) => {
    const order = parseRequest(NewCheckoutSession, parseForm(await req.text()))
    const customer = requireCustomer(order.customer)
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
    return json(renderSession(session))
  })

  app.get('/v1/checkout/sessions', ({ req, json }) => {
    const { customer, status } = parseRequest(CustomerListQuery, req.query())
    const matching = Object.values(store.sessions).filter(
      (session) => session.customer === customer && (status === undefined || session.status === status),
    )
    return json(serializeList('/v1/checkout/sessions', matching.reverse().map(renderSession)))
  })

  app.post('/v1/checkout/sessions/:id/expire', ({ req, json }) => {
    const session = requireFound(store.sessions, req.param('id'), 'checkout.session')
    if (session.status !== 'open')
      throw new StripeApiError(400, 'resource_invalid_state', 'Only an open session can be expired.')
    session.status = 'expired'
    parts.emitSessionEvent('expired', session)
    return json(renderSession(session))
  })

  app.post('/v1/billing_portal/sessions', async ({ req, json }) => {
    const { customer, return_url: returnUrl } = parseRequest(NewPortalSession, parseForm(await req.text()))
    requireCustomer(customer)
    const id = createProviderId('bps')
    parts.portals.set(id, { customer, returnUrl })
    return json({ id, object: 'billing_portal.session', customer, url: `${parts.baseUrl()}/portal/${id}` })
  })

  app.get('/v1/subscriptions', ({ req, json }) => {
    const { customer, status } = parseRequest(CustomerListQuery, req.query())
    requireFound(store.customers, customer, 'customer')
    const matching = Object.values(store.subscriptions).filter(
      (subscription) =>
        subscription.customer === customer && (status === 'all' || subscription.status !== 'canceled'),
    )
    return json(serializeList('/v1/subscriptions', matching.reverse().map(serializeSubscription)))
  })

  app.get('/v1/subscriptions/:id', ({ req, json }) =>
    json(serializeSubscription(requireFound(store.subscriptions, req.param('id'), 'subscription'))),
  )

  app.post('/v1/subscriptions/:id', async ({ req, json }) => {
    const id = req.param('id')
    const {
      items,
      cancel_at_period_end: cancelAtPeriodEnd,
      cancel_at: cancelAt,
    } = parseRequest(SubscriptionUpdate, parseForm(await req.text()))
    const subscription = requireFound(store.subscriptions, id, 'subscription')
    if (items && items[0].id !== subscription.itemId)
      throw new StripeApiError(400, 'item_added', 'A second item would be added to the subscription.')
    const changed = lifecycle.change(id, {
      ...(items ? { priceId: requirePrice(items[0].price).id } : {}),
      ...(cancelAtPeriodEnd === undefined ? {} : { cancelAtPeriodEnd: cancelAtPeriodEnd === 'true' }),
      ...(cancelAt === undefined ? {} : { cancelAt: null }),
    })
    return json(serializeSubscription(changed))
  })

  app.delete('/v1/subscriptions/:id', ({ req, json }) =>
    json(serializeSubscription(lifecycle.cancel(req.param('id')))),
  )
  return app
}
