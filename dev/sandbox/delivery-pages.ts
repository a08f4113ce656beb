import { html } from 'hono/html'
import * as z from 'zod'
import type { Deliveries, DeliveryRecord } from './deliveries.ts'
import type { SandboxApp } from './listen.ts'
import { renderButton, renderEmpty } from './page.ts'

const formatPayload = (body: string) => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const renderStatus = (status: number | null) =>
  status === null
    ? html`<span class="badge bad">no response</span>`
    : html`<span class="badge ${status < 300 ? 'good' : 'bad'}">${status}</span>`

const renderDelivery = ({ event, at, attempt, status }: DeliveryRecord) => html`<tr>
<th scope="row">${event.type}</th>
<td data-name="Sent"><time datetime="${at}">${at.slice(0, 19).replace('T', ' ')}</time></td>
<td data-name="Attempt" class="number">${attempt}</td>
<td data-name="Response">${renderStatus(status)}</td>
<td><details><summary>Payload</summary><pre>${formatPayload(event.body)}</pre></details></td>
<td>${renderButton(`/sandbox/events/${event.id}/resend`, 'Resend')}</td>
</tr>`

export const renderDeliveries = ({
  history,
  pending,
}: Deliveries) => html`<section aria-labelledby="deliveries">
<h2 id="deliveries">Webhook deliveries</h2>
${pending().length > 0 && html`<p class="notice warn">${pending().length} not delivered yet.</p>`}
${
  history.length === 0
    ? renderEmpty('No webhook has been sent yet.', 'Each change and each event above sends one.')
    : html`<table class="stacked"><thead><tr>
<th scope="col">Event</th><th scope="col">Sent (UTC)</th><th scope="col" class="number">Attempt</th><th scope="col">Response</th>
<th scope="col">Payload</th><th scope="col"><span class="hidden">Actions</span></th>
</tr></thead><tbody>${history.map(renderDelivery)}</tbody></table>`
}
</section>`

export const serveDeliveries = (app: SandboxApp, deliveries: Deliveries) => {
  app.post('/sandbox/events/:id/resend', ({ req, json, redirect }) =>
    deliveries.resend(req.param('id')) ? redirect('/', 303) : json({ error: 'not_found' }, 404),
  )
  app.post('/sandbox/endpoint', async ({ req, body }) => {
    deliveries.setEndpoint(z.object({ url: z.url() }).parse(await req.json()).url)
    return body(null, 204)
  })
}
