import type { FastifyInstance, FastifyReply } from 'fastify'
import * as z from 'zod'
import type { Deliveries } from '../deliveries.ts'
import { serveResend } from '../delivery-pages.ts'
import type { Behaviour } from './behaviour.ts'
import { type BillingStore, type Price, requireFound, type StoredCheckoutSession } from './billing-store.ts'
import { renderCheckout, renderControls, renderPortal, renderSubscriptions } from './render-pages.ts'
import type { SubscriptionLifecycle } from './subscription-lifecycle.ts'

interface PageParts {
  readonly store: BillingStore
  readonly lifecycle: SubscriptionLifecycle
  readonly prices: readonly Price[]
  readonly portals: ReadonlyMap<string, { readonly customer: string; readonly returnUrl: string }>
  readonly deliveries: Deliveries
  readonly behaviour: () => Behaviour
  readonly setBehaviour: (change: Partial<Behaviour>) => void
  /** Makes the API close the connections of all requests for this customer. */
  readonly beginOutage: (customer: string) => void
  readonly emitSessionEvent: (event: string, session: StoredCheckoutSession) => void
}

const Id = z.object({ id: z.string() })

const actions = ['cancel', 'resume', 'cancel-now', 'end-period', 'fail-payment'] as const
type Action = (typeof actions)[number]

const sendHtml = (reply: FastifyReply, page: string) => reply.type('text/html; charset=utf-8').send(page)

/** Registers the checkout page, the portal and the page with the provider's controls. */
export const servePages = (app: FastifyInstance, parts: PageParts) => {
  const { store, lifecycle, prices, portals, deliveries } = parts

  app.get('/checkout/:id', async ({ params }, reply) => {
    const session = requireFound(store.sessions, Id.parse(params).id, 'checkout.session')
    return sendHtml(reply, renderCheckout(session, prices))
  })

  app.post('/checkout/:id/pay', async ({ params }, reply) => {
    const session = requireFound(store.sessions, Id.parse(params).id, 'checkout.session')
    lifecycle.pay(session)
    parts.emitSessionEvent('completed', session)
    return reply.redirect(session.successUrl, 303)
  })

  const carryOut: Record<Action, (id: string) => void> = {
    cancel: (id) => lifecycle.change(id, { cancelAtPeriodEnd: true }),
    resume: (id) => lifecycle.change(id, { cancelAtPeriodEnd: false, cancelAt: null }),
    'cancel-now': (id) => lifecycle.cancel(id),
    'end-period': (id) => lifecycle.endPeriod(id),
    'fail-payment': (id) => lifecycle.failPayment(id),
  }
  const ActionParams = z.object({ id: z.string(), action: z.enum(actions) })

  const renderSubscriptionsOf = (customer?: string) =>
    renderSubscriptions(
      Object.values(store.subscriptions).filter(
        (subscription) => customer === undefined || subscription.customer === customer,
      ),
      prices,
      actions,
    )

  app.get('/portal/:id', async ({ params }, reply) => {
    const portal = requireFound(Object.fromEntries(portals), Id.parse(params).id, 'billing_portal.session')
    return sendHtml(reply, renderPortal(renderSubscriptionsOf(portal.customer), portal.returnUrl))
  })

  app.post('/sandbox/subscriptions/:id/:action', async ({ params, headers }, reply) => {
    const { id, action } = ActionParams.parse(params)
    carryOut[action](id)
    return reply.redirect(headers.referer ?? '/', 303)
  })

  app.get('/', async (_, reply) =>
    sendHtml(reply, renderControls(parts.behaviour(), renderSubscriptionsOf(), deliveries)),
  )
  serveResend(app, deliveries)

  const BehaviourForm = z.object({
    delayMs: z.coerce.number().int().min(0).max(60_000).default(0),
    repeat: z.coerce.number().int().min(0).max(100).default(0),
    down: z.literal('on').optional(),
    reorder: z.literal('on').optional(),
  })
  app.post('/sandbox/behaviour', async ({ body }, reply) => {
    const { down, reorder, ...numbers } = BehaviourForm.parse(body ?? {})
    parts.setBehaviour({ ...numbers, down: down === 'on', reorder: reorder === 'on' })
    return reply.redirect('/', 303)
  })

  app.post('/sandbox/customers/:id/outage', async ({ params }, reply) => {
    parts.beginOutage(requireFound(store.customers, Id.parse(params).id, 'customer').id)
    return reply.redirect('/', 303)
  })

  app.post('/sandbox/endpoint', async ({ body }, reply) => {
    deliveries.setEndpoint(z.object({ url: z.url() }).parse(body).url)
    return reply.code(204).send()
  })
}
