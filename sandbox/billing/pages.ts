import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from 'hono/html'
import * as z from 'zod'
import type { Deliveries } from '../deliveries.ts'
import { type Html, renderPage } from '../page.ts'
import type { Behaviour } from './behaviour.ts'
import { type BillingStore, type Price, requireFound, type StoredCheckoutSession } from './billing-store.ts'
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

const renderButton = (action: string, label: string) =>
  html`<form method="post" action="${action}"><button>${label}</button></form>`

const sendPage = (reply: FastifyReply, title: string, body: Html) =>
  reply.type('text/html; charset=utf-8').send(renderPage(title, body))

/** Registers the checkout page, the portal and the page with the provider's controls. */
export const servePages = (app: FastifyInstance, parts: PageParts) => {
  const { store, lifecycle, prices, portals, deliveries } = parts

  const priceName = (id: string) => prices.find((price) => price.id === id)?.name ?? id

  app.get('/checkout/:id', async ({ params }, reply) => {
    const session = requireFound(store.sessions, Id.parse(params).id, 'checkout.session')
    if (session.status !== 'open')
      return sendPage(
        reply,
        'Checkout',
        html`<p>This page has been used or has expired (${session.status}).</p>`,
      )
    const price = prices.find(({ id }) => id === session.priceId)
    return sendPage(
      reply,
      'Checkout',
      html`<p>${price?.name ?? session.priceId}: ${((price?.amount ?? 0) / 100).toFixed(2)} EUR a month</p>
      ${renderButton(`/checkout/${session.id}/pay`, 'Pay and subscribe')}
      <p><a href="${session.cancelUrl}">Back without paying</a></p>`,
    )
  })

  app.post('/checkout/:id/pay', async ({ params }, reply) => {
    const session = requireFound(store.sessions, Id.parse(params).id, 'checkout.session')
    lifecycle.pay(session)
    parts.emitSessionEvent('completed', session)
    return reply.redirect(session.successUrl, 303)
  })

  const actions = {
    cancel: (id: string) => lifecycle.change(id, { cancelAtPeriodEnd: true }),
    resume: (id: string) => lifecycle.change(id, { cancelAtPeriodEnd: false, cancelAt: null }),
    'cancel-now': (id: string) => lifecycle.cancel(id),
    'end-period': (id: string) => lifecycle.endPeriod(id),
    'fail-payment': (id: string) => lifecycle.failPayment(id),
  } as const
  const Action = z.object({
    id: z.string(),
    action: z.enum(Object.keys(actions) as (keyof typeof actions)[]),
  })

  const renderRow = ({
    id,
    status,
    priceId,
    cancelAtPeriodEnd,
    customer,
  }: BillingStore['subscriptions'][string]) =>
    html`<tr><td>${id}<td>${customer}<td>${priceName(priceId)}<td>${status}${
      cancelAtPeriodEnd ? ', cancels at period end' : ''
    }<td>${Object.keys(actions).map((action) =>
      renderButton(`/sandbox/subscriptions/${id}/${action}`, action),
    )}</tr>`

  const renderTable = (customer?: string) =>
    html`<table>${Object.values(store.subscriptions)
      .filter((subscription) => customer === undefined || subscription.customer === customer)
      .map(renderRow)}</table>`

  app.get('/portal/:id', async ({ params }, reply) => {
    const portal = requireFound(Object.fromEntries(portals), Id.parse(params).id, 'billing_portal.session')
    const backLink = html`<p><a href="${portal.returnUrl}">Back to the app</a></p>`
    return sendPage(reply, 'Your subscription', html`${renderTable(portal.customer)}${backLink}`)
  })

  app.post('/sandbox/subscriptions/:id/:action', async ({ params, headers }, reply) => {
    const { id, action } = Action.parse(params)
    actions[action](id)
    return reply.redirect(headers.referer ?? '/', 303)
  })

  app.get('/', async (_, reply) => {
    const { delayMs, down, repeat, reorder } = parts.behaviour()
    const events = deliveries.history.map(
      ({ type, attempt, status }) =>
        html`<tr><td>${type}<td>attempt ${attempt}<td>${status ?? 'no response'}</tr>`,
    )
    return sendPage(
      reply,
      'Sandbox billing provider',
      html`<form method="post" action="/sandbox/behaviour">
        <label>API response delay <input name="delayMs" value="${delayMs}" size="6"> ms</label>
        <label><input type="checkbox" name="down" ${down ? 'checked' : ''}> API is down</label>
        <label>duplicate deliveries of each event <input name="repeat" value="${repeat}" size="3"></label>
        <label><input type="checkbox" name="reorder" ${reorder ? 'checked' : ''}> random delivery order</label>
        <button>Save</button>
      </form>${renderTable()}<h2>Deliveries</h2><table>${events}</table>`,
    )
  })

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
