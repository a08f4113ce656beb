import { html } from 'hono/html'
import type { Deliveries } from '../deliveries.ts'
import { renderDeliveries } from '../delivery-pages.ts'
import { type Html, renderButton, renderEmpty, renderPage } from '../page.ts'
import type { Behaviour } from './behaviour.ts'
import type { BillingStore, Price, StoredCheckoutSession } from './billing-store.ts'

type Subscription = BillingStore['subscriptions'][string]

const provider = 'Billing provider'

const nameOf = (prices: readonly Price[], id: string) => prices.find((price) => price.id === id)?.name ?? id

/** Renders the page on which a customer pays. */
export const renderCheckout = (session: StoredCheckoutSession, prices: readonly Price[]) => {
  const price = prices.find(({ id }) => id === session.priceId)
  const body =
    session.status === 'open'
      ? html`<div class="panel">
<ul class="figures">
<li>Plan<b>${nameOf(prices, session.priceId)}</b></li>
<li>Per month<b>${((price?.amount ?? 0) / 100).toFixed(2)} EUR</b></li>
</ul>
<p class="muted">Nothing is charged: this is a sandbox.</p>
<div class="row">${renderButton(`/checkout/${session.id}/pay`, 'Pay and subscribe', 'primary')}
<a href="${session.cancelUrl}">Back without paying</a></div>
</div>`
      : renderEmpty(
          `This page has been used or has expired (${session.status}).`,
          'Start a new checkout in the app.',
        )
  return renderPage(provider, 'Checkout', body)
}

const badgeOf = (status: string) => (status === 'active' ? 'good' : status === 'canceled' ? '' : 'warn')

const renderSubscription = (
  { id, status, priceId, cancelAtPeriodEnd, customer }: Subscription,
  prices: readonly Price[],
  actions: readonly string[],
) => html`<tr>
<th scope="row" class="code">${id}</th>
<td data-name="Customer" class="code">${customer}</td>
<td data-name="Plan">${nameOf(prices, priceId)}</td>
<td data-name="Status"><span class="badge ${badgeOf(status)}">${status}</span>${cancelAtPeriodEnd && html` <small>cancels at period end</small>`}</td>
<td><div class="row">${actions.map((action) =>
  renderButton(`/sandbox/subscriptions/${id}/${action}`, action, action === 'cancel-now' ? 'danger' : ''),
)}</div></td>
</tr>`

/** Renders subscriptions with the buttons that change them. */
export const renderSubscriptions = (
  subscriptions: readonly Subscription[],
  prices: readonly Price[],
  actions: readonly string[],
) =>
  subscriptions.length === 0
    ? renderEmpty('There is no subscription yet.', 'Complete a checkout of the app to create one.')
    : html`<table class="stacked"><thead><tr>
<th scope="col">Subscription</th><th scope="col">Customer</th><th scope="col">Plan</th><th scope="col">Status</th>
<th scope="col"><span class="hidden">Actions</span></th>
</tr></thead><tbody>${subscriptions.map((one) => renderSubscription(one, prices, actions))}</tbody></table>`

/** Renders the page on which a customer manages a subscription. */
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
<label>API response delay, ms <input name="delayMs" inputmode="numeric" value="${delayMs}" size="6"></label>
<label>Duplicate deliveries of each event <input name="repeat" inputmode="numeric" value="${repeat}" size="3"></label>
<label class="inline"><input type="checkbox" name="down" ${down ? 'checked' : ''}> API is down</label>
<label class="inline"><input type="checkbox" name="reorder" ${reorder ? 'checked' : ''}> random delivery order</label>
<button class="primary">Save</button>
</div>
</form>`

/** Renders the page with the provider's controls: how it misbehaves, its subscriptions and its webhooks. */
export const renderControls = (behaviour: Behaviour, subscriptions: Html, deliveries: Deliveries) =>
  renderPage(
    provider,
    'Billing provider',
    html`<section aria-labelledby="behaviour"><h2 id="behaviour">Behaviour</h2>${renderBehaviour(behaviour)}</section>
<section aria-labelledby="subscriptions"><h2 id="subscriptions">Subscriptions</h2>${subscriptions}</section>
${renderDeliveries(deliveries)}`,
  )
