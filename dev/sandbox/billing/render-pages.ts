import { html } from 'hono/html'
import * as z from 'zod'
import type { Deliveries } from '../deliveries.ts'
import { renderDeliveries } from '../delivery-pages.ts'
import { type Html, renderButton, renderEmpty, renderPage } from '../page.ts'
import type { Behaviour } from './api.ts'
import type { BillingStore, Price, StoredCheckoutSession } from './billing-store.ts'

type Subscription = BillingStore['subscriptions'][string]

const provider = 'Billing provider'

const nameOf = (prices: readonly Price[], id: string) => prices.find((price) => price.id === id)?.name ?? id

export const renderCheckout = (session: StoredCheckoutSession, prices: readonly Price[]) => {
  const price = prices.find(({ id }) => id === session.priceId)
  const body =
    session.status === 'open'
      ? html`<div class="panel narrow">
<dl>
<dt>Plan</dt><dd><strong>${nameOf(prices, session.priceId)}</strong></dd>
<dt>Price</dt><dd>${((price?.amount ?? 0) / 100).toFixed(2)} EUR a month</dd>
</dl>
<p class="muted">This is a sandbox. Nothing is charged.</p>
<div class="row">${renderButton(`/checkout/${session.id}/pay`, 'Pay and subscribe', 'primary')}
<a href="${session.cancelUrl}">Back without paying</a></div>
</div>`
      : renderEmpty(
          session.status === 'complete' ? 'You have already paid.' : 'This page has expired.',
          'To buy another plan, start again in the app.',
        )
  return renderPage(provider, 'Checkout', body)
}

const badgeOf = (status: string) => (status === 'active' ? 'good' : status === 'canceled' ? '' : 'warn')

const describeStatus = (status: string) => status.replace('_', ' ')

export const SubscriptionAction = z.enum(['cancel', 'resume', 'cancel-now', 'end-period', 'fail-payment'])
export type SubscriptionAction = z.infer<typeof SubscriptionAction>

const actionLabels: Readonly<Record<SubscriptionAction, string>> = {
  cancel: 'Cancel at the end of the period',
  resume: 'Keep the subscription',
  'cancel-now': 'Cancel now',
  'end-period': 'End the period now',
  'fail-payment': 'Simulate a failed payment',
}

const listActions = ({ status, cancelAtPeriodEnd }: Subscription): readonly SubscriptionAction[] =>
  status === 'canceled'
    ? []
    : [cancelAtPeriodEnd ? 'resume' : 'cancel', 'end-period', 'fail-payment', 'cancel-now']

const renderSubscription = (subscription: Subscription, prices: readonly Price[]) => {
  const { id, status, priceId, cancelAtPeriodEnd, customer } = subscription
  return html`<tr>
<th scope="row" class="code">${id}</th>
<td data-name="Customer" class="code">${customer}</td>
<td data-name="Plan">${nameOf(prices, priceId)}</td>
<td data-name="Status"><span><span class="badge ${badgeOf(status)}">${describeStatus(status)}</span>${cancelAtPeriodEnd && html` <small>until the end of the period</small>`}</span></td>
<td><div class="row">${listActions(subscription).map((action) =>
    renderButton(
      `/sandbox/subscriptions/${id}/${action}`,
      actionLabels[action],
      action === 'cancel-now' ? 'danger' : '',
    ),
  )}</div></td>
</tr>`
}

export const renderSubscriptions = (subscriptions: readonly Subscription[], prices: readonly Price[]) =>
  subscriptions.length === 0
    ? renderEmpty('There is no subscription yet.', 'Buy a plan in the app to create one.')
    : html`<table class="stacked"><thead><tr>
<th scope="col">Subscription</th><th scope="col">Customer</th><th scope="col">Plan</th><th scope="col">Status</th>
<th scope="col"><span class="hidden">Actions</span></th>
</tr></thead><tbody>${subscriptions.map((one) => renderSubscription(one, prices))}</tbody></table>`

export const renderPortal = (subscriptions: Html, returnUrl: string) =>
  renderPage(
    provider,
    'Your subscription',
    html`<p><a href="${returnUrl}">Back to the app</a></p>${subscriptions}`,
  )

const renderBehaviour = ({
  delayMs,
  down,
  repeat,
  reorder,
}: Behaviour) => html`<form method="post" action="/sandbox/behaviour" class="panel">
<div class="row">
<label>Delay of API responses, ms <input name="delayMs" inputmode="numeric" value="${delayMs}" size="6"></label>
<label>Extra deliveries of each event <input name="repeat" inputmode="numeric" value="${repeat}" size="3"></label>
<label class="inline"><input type="checkbox" name="down" ${down ? 'checked' : ''}> The API is down</label>
<label class="inline"><input type="checkbox" name="reorder" ${reorder ? 'checked' : ''}> Deliver in random order</label>
<button class="primary">Save</button>
</div>
</form>`

export const renderControls = (behaviour: Behaviour, subscriptions: Html, deliveries: Deliveries) =>
  renderPage(
    provider,
    'Billing provider',
    html`<section aria-labelledby="behaviour"><h2 id="behaviour">Behaviour</h2>${renderBehaviour(behaviour)}</section>
<section aria-labelledby="subscriptions"><h2 id="subscriptions">Subscriptions</h2>${subscriptions}</section>
${renderDeliveries(deliveries)}`,
  )
