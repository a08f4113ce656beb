import * as z from 'zod'
import { serveDeliveries } from '../delivery-pages.ts'
import type { SandboxApp } from '../listen.ts'
import type { BillingParts } from './api.ts'
import { nowS, requireFound } from './billing-store.ts'
import { listRecords } from './list-records.ts'
import {
  renderCheckout,
  renderControls,
  renderPortal,
  renderSubscriptions,
  SubscriptionAction,
} from './render-pages.ts'

/** States that the provider sets by itself, for example during a trial or after several failed payments. */
const ProviderStatus = z.enum(['trialing', 'unpaid', 'paused', 'incomplete'])

const daysUntilEnd = 10

export const servePages = (app: SandboxApp, parts: BillingParts) => {
  const { store, lifecycle, prices, portals, deliveries, requests } = parts

  app.get('/checkout/:id', ({ req, html }) =>
    html(renderCheckout(requireFound(store.sessions, req.param('id'), 'checkout.session'), prices)),
  )

  app.post('/checkout/:id/pay', ({ req, redirect }) => {
    const session = requireFound(store.sessions, req.param('id'), 'checkout.session')
    lifecycle.pay(session)
    parts.emitSessionEvent('completed', session)
    return redirect(session.successUrl, 303)
  })

  const carryOut: Record<SubscriptionAction, (id: string) => void> = {
    cancel: (id) => lifecycle.change(id, { cancelAtPeriodEnd: true }),
    resume: (id) => lifecycle.change(id, { cancelAtPeriodEnd: false, cancelAt: null }),
    'cancel-now': (id) => lifecycle.cancel(id),
    'end-period': (id) => lifecycle.endPeriod(id),
    'fail-payment': (id) => lifecycle.failPayment(id),
  }

  const renderSubscriptionsOf = (customer?: string) =>
    renderSubscriptions(
      Object.values(store.subscriptions).filter(
        (subscription) => customer === undefined || subscription.customer === customer,
      ),
      prices,
    )

  app.get('/portal/:id', ({ req, html }) => {
    const portal = requireFound(Object.fromEntries(portals), req.param('id'), 'billing_portal.session')
    return html(renderPortal(renderSubscriptionsOf(portal.customer), portal.returnUrl))
  })

  app.get('/sandbox/records', ({ req, json }) =>
    json(listRecords(store, [...portals.values()], requests, req.query('about') ?? '')),
  )

  app.post('/sandbox/subscriptions/:id/status/:status', ({ req, redirect }) => {
    lifecycle.change(req.param('id'), { status: ProviderStatus.parse(req.param('status')) })
    return redirect(req.header('referer') ?? '/', 303)
  })

  app.post('/sandbox/subscriptions/:id/end-date', ({ req, redirect }) => {
    lifecycle.change(req.param('id'), { cancelAt: nowS() + daysUntilEnd * 86_400 })
    return redirect(req.header('referer') ?? '/', 303)
  })

  app.post('/sandbox/subscriptions/:id/:action', ({ req, redirect }) => {
    carryOut[SubscriptionAction.parse(req.param('action'))](req.param('id'))
    return redirect(req.header('referer') ?? '/', 303)
  })

  app.get('/', ({ html }) => html(renderControls(parts.behaviour(), renderSubscriptionsOf(), deliveries)))
  serveDeliveries(app, deliveries)

  const BehaviourForm = z.object({
    delayMs: z.coerce.number().int().min(0).max(60_000).default(0),
    repeat: z.coerce.number().int().min(0).max(100).default(0),
    down: z.literal('on').optional(),
    reorder: z.literal('on').optional(),
  })
  app.post('/sandbox/behaviour', async ({ req, redirect }) => {
    const { down, reorder, ...numbers } = BehaviourForm.parse(await req.parseBody())
    parts.setBehaviour({ ...numbers, down: down === 'on', reorder: reorder === 'on' })
    return redirect('/', 303)
  })

  const addCustomerAction = (action: string, carryOut: (customer: string) => unknown) =>
    app.post(`/sandbox/customers/:id/${action}`, async ({ req, redirect }) => {
      await carryOut(requireFound(store.customers, req.param('id') ?? '', 'customer').id)
      return redirect('/', 303)
    })
  addCustomerAction('wait-for-deliveries', (customer) => deliveries.waitUntilIdle(customer))
  addCustomerAction('outage', (customer) => parts.unreachable.add(customer))
  addCustomerAction('withhold-events', (customer) => parts.silenced.add(customer))
}
