import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from 'hono/html'
import * as z from 'zod'
import type { Deliveries } from '../deliveries.ts'
import { type Html, page } from '../page.ts'
import type { Behaviour } from './behaviour.ts'
import { type BillingStore, type CheckoutSession, type Price, requireFound } from './billing-store.ts'
import type { SubscriptionLifecycle } from './subscription-lifecycle.ts'

interface PageParts {
  readonly books: BillingStore
  readonly ledger: SubscriptionLifecycle
  readonly prices: readonly Price[]
  readonly portals: ReadonlyMap<string, { readonly customer: string; readonly returnUrl: string }>
  readonly deliveries: Deliveries
  readonly behaviour: () => Behaviour
  readonly behave: (change: Partial<Behaviour>) => void
  /** Has the API hang up on whoever asks for this customer. */
  readonly beginOutage: (customer: string) => void
  readonly tellOfSession: (event: string, session: CheckoutSession) => void
}

const Id = z.object({ id: z.string() })

const button = (action: string, label: string) =>
  html`<form method="post" action="${action}"><button>${label}</button></form>`

const show = (reply: FastifyReply, title: string, body: Html) =>
  reply.type('text/html; charset=utf-8').send(page(title, body))

/** The pages that a person clicks through: checkout, portal, and what the provider itself can be made to do. */
export const servePages = (app: FastifyInstance, parts: PageParts) => {
  const { books, ledger, prices, portals, deliveries } = parts

  const priceName = (id: string) => prices.find((price) => price.id === id)?.name ?? id

  app.get('/checkout/:id', async ({ params }, reply) => {
    const session = requireFound(books.sessions, Id.parse(params).id, 'checkout.session')
    if (session.status !== 'open')
      return show(reply, 'Checkout', html`<p>This page has been used or has expired (${session.status}).</p>`)
    const price = prices.find(({ id }) => id === session.priceId)
    return show(
      reply,
      'Checkout',
      html`<p>${price?.name ?? session.priceId}: ${((price?.amount ?? 0) / 100).toFixed(2)} EUR a month</p>
      ${button(`/checkout/${session.id}/pay`, 'Pay and subscribe')}
      <p><a href="${session.cancelUrl}">Back without paying</a></p>`,
    )
  })

  app.post('/checkout/:id/pay', async ({ params }, reply) => {
    const session = requireFound(books.sessions, Id.parse(params).id, 'checkout.session')
    ledger.pay(session)
    parts.tellOfSession('completed', session)
    return reply.redirect(session.successUrl, 303)
  })

  const actions = {
    cancel: (id: string) => ledger.change(id, { cancelAtPeriodEnd: true }),
    resume: (id: string) => ledger.change(id, { cancelAtPeriodEnd: false, cancelAt: null }),
    'cancel-now': (id: string) => ledger.cancel(id),
    'end-period': (id: string) => ledger.endPeriod(id),
    'fail-payment': (id: string) => ledger.failPayment(id),
  } as const
  const Action = z.object({
    id: z.string(),
    action: z.enum(Object.keys(actions) as (keyof typeof actions)[]),
  })

  const row = ({ id, status, priceId, cancelAtPeriodEnd, customer }: BillingStore['subscriptions'][string]) =>
    html`<tr><td>${id}<td>${customer}<td>${priceName(priceId)}<td>${status}${
      cancelAtPeriodEnd ? ', ends with its period' : ''
    }<td>${Object.keys(actions).map((action) =>
      button(`/sandbox/subscriptions/${id}/${action}`, action),
    )}</tr>`

  const table = (customer?: string) =>
    html`<table>${Object.values(books.subscriptions)
      .filter((subscription) => customer === undefined || subscription.customer === customer)
      .map(row)}</table>`

  app.get('/portal/:id', async ({ params }, reply) => {
    const portal = requireFound(Object.fromEntries(portals), Id.parse(params).id, 'billing_portal.session')
    const back = html`<p><a href="${portal.returnUrl}">Back to the app</a></p>`
    return show(reply, 'Your subscription', html`${table(portal.customer)}${back}`)
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
        html`<tr><td>${type}<td>attempt ${attempt}<td>${status ?? 'no answer'}</tr>`,
    )
    return show(
      reply,
      'Sandbox billing provider',
      html`<form method="post" action="/sandbox/behaviour">
        <label>Answers after <input name="delayMs" value="${delayMs}" size="6"> ms</label>
        <label><input type="checkbox" name="down" ${down ? 'checked' : ''}> is down</label>
        <label>delivers each event <input name="repeat" value="${repeat}" size="3"> times too often</label>
        <label><input type="checkbox" name="reorder" ${reorder ? 'checked' : ''}> in any order</label>
        <button>Behave like this</button>
      </form>${table()}<h2>Deliveries</h2><table>${events}</table>`,
    )
  })

  const Switches = z.object({
    delayMs: z.coerce.number().int().min(0).max(60_000).default(0),
    repeat: z.coerce.number().int().min(0).max(100).default(0),
    down: z.literal('on').optional(),
    reorder: z.literal('on').optional(),
  })
  app.post('/sandbox/behaviour', async ({ body }, reply) => {
    const { down, reorder, ...numbers } = Switches.parse(body ?? {})
    parts.behave({ ...numbers, down: down === 'on', reorder: reorder === 'on' })
    return reply.redirect('/', 303)
  })

  app.post('/sandbox/customers/:id/outage', async ({ params }, reply) => {
    parts.beginOutage(requireFound(books.customers, Id.parse(params).id, 'customer').id)
    return reply.redirect('/', 303)
  })

  app.post('/sandbox/endpoint', async ({ body }, reply) => {
    deliveries.deliverTo(z.object({ url: z.url() }).parse(body).url)
    return reply.code(204).send()
  })
}
