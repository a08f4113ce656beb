import { html } from 'hono/html'
import type { Deliveries } from '../deliveries.ts'
import { renderDeliveries } from '../delivery-pages.ts'
import { renderButton, renderEmpty, renderPage } from '../page.ts'
import type { SentMessage } from './start-email.ts'

const address = /(https?:\/\/[^\s<>"]+)/

/** Renders the text with its URLs as links. The pattern has a group, so `split` puts the matches at odd positions. */
const renderText = (text: string) =>
  text
    .split(address)
    .map((part, index) =>
      index % 2 === 1 ? html`<a href="${part}" rel="noreferrer">${part}</a>` : html`${part}`,
    )

const renderMessage = (
  { id, subject, to, sentAt, text }: SentMessage,
  events: readonly string[],
) => html`<article class="panel">
<h2>${subject}</h2>
<p class="muted">to ${to}, <time datetime="${sentAt}">${sentAt.slice(0, 19).replace('T', ' ')} UTC</time></p>
<pre>${renderText(text)}</pre>
${
  events.length > 0 &&
  html`<h3>Send an event about this message</h3>
<div class="row">${events.map((name) => renderButton(`/emails/${id}/${name}`, name))}</div>`
}
</article>`

export const renderOutbox = (
  outbox: readonly SentMessage[],
  events: readonly string[],
  deliveries: Deliveries,
) =>
  renderPage(
    'E-mail provider',
    'Outbox',
    html`<p class="muted">No e-mail leaves this machine: what the service sends is shown here.</p>
${events.length === 0 && html`<p class="notice">Set EMAIL_WEBHOOK_SECRET to send webhook events for these messages.</p>`}
${
  outbox.length === 0
    ? renderEmpty('No message has been sent yet.', 'Invite a person to a pack to send one.')
    : outbox.map((message) => renderMessage(message, events))
}
${events.length > 0 && renderDeliveries(deliveries)}`,
  )
