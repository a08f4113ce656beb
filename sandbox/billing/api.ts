import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { Change, Listed, NewCustomer, NewPortal, NewSession, readAs } from './api-requests.ts'
import {
  type BillingStore,
  type CheckoutSession,
  type Customer,
  nowS,
  type Price,
  ProviderError,
  providerId,
  requireFound,
} from './billing-store.ts'
import { customerObject, listObject, sessionObject, subscriptionObject } from './objects.ts'
import type { SubscriptionLifecycle } from './subscription-lifecycle.ts'

export interface ApiParts {
  readonly books: BillingStore
  readonly ledger: SubscriptionLifecycle
  readonly prices: readonly Price[]
  /** Where the hosted pages are, without a slash at the end. */
  readonly baseUrl: () => string
  readonly openPortal: (portal: { readonly customer: string; readonly returnUrl: string }) => string
  readonly tellOfSession: (event: string, session: CheckoutSession) => void
  readonly onChange: () => void
}

const idOf = ({ params }: FastifyRequest) => readAs(z.object({ id: z.string() }), params).id

export const sendError = (reply: FastifyReply, { status, code, message }: ProviderError) =>
  reply.code(status).send({ error: { type: 'invalid_request_error', code, message } })

/** The part of the provider's API that a gateway uses. */
export const serveApi = (app: FastifyInstance, parts: ApiParts) => {
  const { books, ledger, prices } = parts

  const priceOf = (id: string) => {
    const price = prices.find((candidate) => candidate.id === id)
    if (!price) throw new ProviderError(400, 'resource_missing', `No such price: '${id}'`)
    return price
  }

  const show = (session: CheckoutSession) =>
    sessionObject(
      session,
      `${parts.baseUrl()}/checkout/${session.id}`,
      prices.find(({ id }) => id === session.priceId),
    )

  app.post('/v1/customers', async ({ body }) => {
    const { email = null, metadata: kept } = readAs(NewCustomer, body)
    const customer: Customer = { id: providerId('cus'), created: nowS(), email, metadata: kept }
    books.customers[customer.id] = customer
    parts.onChange()
    return customerObject(customer)
  })

  app.post('/v1/checkout/sessions', async ({ body }) => {
    const order = readAs(NewSession, body)
    const customer = requireFound(books.customers, order.customer, 'customer')
    const session: CheckoutSession = {
      id: providerId('cs'),
      created: nowS(),
      customer: customer.id,
      priceId: priceOf(order.line_items[0].price).id,
      clientReferenceId: order.client_reference_id ?? null,
      metadata: order.metadata,
      subscriptionMetadata: order.subscription_data.metadata,
      successUrl: order.success_url,
      cancelUrl: order.cancel_url,
      status: 'open',
      subscription: null,
      invoice: null,
    }
    books.sessions[session.id] = session
    parts.onChange()
    return show(session)
  })

  app.get('/v1/checkout/sessions', async ({ query }) => {
    const { customer, status } = readAs(Listed, query)
    const listed = Object.values(books.sessions).filter(
      (session) => session.customer === customer && (status === undefined || session.status === status),
    )
    return listObject('/v1/checkout/sessions', listed.reverse().map(show))
  })

  app.post('/v1/checkout/sessions/:id/expire', async (request) => {
    const session = requireFound(books.sessions, idOf(request), 'checkout.session')
    if (session.status !== 'open')
      throw new ProviderError(400, 'resource_invalid_state', 'Only an open session can be expired.')
    session.status = 'expired'
    parts.tellOfSession('expired', session)
    return show(session)
  })

  app.post('/v1/billing_portal/sessions', async ({ body }) => {
    const { customer, return_url: returnUrl } = readAs(NewPortal, body)
    const id = parts.openPortal({
      customer: requireFound(books.customers, customer, 'customer').id,
      returnUrl,
    })
    return { id, object: 'billing_portal.session', customer, url: `${parts.baseUrl()}/portal/${id}` }
  })

  app.get('/v1/subscriptions', async ({ query }) => {
    const { customer, status } = readAs(Listed, query)
    requireFound(books.customers, customer, 'customer')
    const listed = Object.values(books.subscriptions).filter(
      (subscription) =>
        subscription.customer === customer && (status === 'all' || subscription.status !== 'canceled'),
    )
    return listObject('/v1/subscriptions', listed.reverse().map(subscriptionObject))
  })

  app.get('/v1/subscriptions/:id', async (request) =>
    subscriptionObject(requireFound(books.subscriptions, idOf(request), 'subscription')),
  )

  app.post('/v1/subscriptions/:id', async (request) => {
    const id = idOf(request)
    const { items, cancel_at_period_end: atPeriodEnd, cancel_at: onDate } = readAs(Change, request.body)
    const subscription = requireFound(books.subscriptions, id, 'subscription')
    if (items && items[0].id !== subscription.itemId)
      throw new ProviderError(400, 'item_added', 'A second item would be added to the subscription.')
    return subscriptionObject(
      ledger.change(id, {
        ...(items ? { priceId: priceOf(items[0].price).id } : {}),
        ...(atPeriodEnd === undefined ? {} : { cancelAtPeriodEnd: atPeriodEnd === 'true' }),
        ...(onDate === undefined ? {} : { cancelAt: null }),
      }),
    )
  })

  app.delete('/v1/subscriptions/:id', async (request) => subscriptionObject(ledger.cancel(idOf(request))))
}
