import { createHmac, randomBytes } from 'node:crypto'
import { html } from 'hono/html'
import * as z from 'zod'
import { Email } from '#contracts/shared/email.ts'
import { createDeliveries, type Deliveries, type ProviderEvent } from '../deliveries.ts'
import { renderDeliveries, serveDeliveries } from '../delivery-pages.ts'
import { createSandboxApp, serveOnLoopback } from '../listen.ts'
import { renderButton, renderEmpty, renderPage } from '../page.ts'

interface EmailOptions {
  /** `whsec_` followed by base64, as in Standard Webhooks. If null, no events are sent. */
  readonly webhookSecret: string | null
  readonly apiKey?: string
  readonly port?: number
  readonly retryMs?: number
}

const Message = z.object({
  from: z.string().optional(),
  to: Email,
  subject: z.string().max(500),
  text: z.string().max(50_000),
  tags: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
})
type SentMessage = z.infer<typeof Message> & { readonly id: string; readonly sentAt: string }

const eventNames = [
  'sent',
  'delivered',
  'delivery_delayed',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'failed',
  'suppressed',
] as const

// Standard Webhooks: the signed text is `id.timestamp.body`.
const createSigner = (webhookSecret: string) => {
  const key = Buffer.from(webhookSecret.replace(/^whsec_/, ''), 'base64')
  return ({ id, body }: ProviderEvent) => {
    const timestamp = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    return {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    }
  }
}

interface Failure {
  readonly status: number
  readonly name: string
  readonly headers?: Readonly<Record<string, string>>
}

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

const renderOutbox = (outbox: readonly SentMessage[], events: readonly string[], deliveries: Deliveries) =>
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

const createId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

/** Starts an email provider that sends no email, but keeps the messages in an outbox. */
export const startEmailProvider = async ({
  webhookSecret,
  apiKey,
  port = 0,
  retryMs = 1000,
}: EmailOptions) => {
  const outbox: SentMessage[] = []
  const failures: Failure[] = []
  const requests = new Map<string, { readonly content: string; readonly id: string }>()
  const deliveries = createDeliveries({ sign: createSigner(webhookSecret ?? ''), retryMs })

  const emitEvent = (emailId: string, name: (typeof eventNames)[number]) => {
    const type = `email.${name}`
    const message = outbox.find((candidate) => candidate.id === emailId)
    const tags = Object.fromEntries(message?.tags.map(({ name, value }) => [name, value]) ?? [])
    const data = { email_id: emailId, to: message ? [message.to] : [], tags }
    const body = JSON.stringify({ type, created_at: new Date().toISOString(), data })
    if (webhookSecret !== null) deliveries.enqueue({ id: createId('msg'), type, body })
  }

  const app = createSandboxApp()
  app.onError((_, { json }) => json({ error: 'bad_request' }, 400))

  // Like Resend: if an idempotency key is repeated, the same message gets the same id, and a different one an error.
  app.post('/emails', async ({ req, json }) => {
    if (apiKey !== undefined && req.header('authorization') !== `Bearer ${apiKey}`)
      return json({ statusCode: 401, name: 'missing_api_key' }, 401)
    const content = Message.parse(await req.json())
    const failure = failures.shift()
    if (failure) {
      const { status, name, headers } = failure
      return Response.json({ statusCode: status, name }, { status, ...(headers && { headers }) })
    }
    const key = req.header('idempotency-key') ?? createId('key')
    const earlier = requests.get(key)
    if (earlier !== undefined && earlier.content !== JSON.stringify(content))
      return json({ statusCode: 409, name: 'invalid_idempotent_request' }, 409)
    if (earlier !== undefined) return json({ id: earlier.id })
    const message = { ...content, id: createId('email'), sentAt: new Date().toISOString() }
    requests.set(key, { content: JSON.stringify(content), id: message.id })
    outbox.unshift(message)
    return json({ id: message.id })
  })

  app.get('/emails', ({ json }) => json({ records: outbox }))

  app.post('/emails/:id/:event', ({ req, redirect }) => {
    emitEvent(req.param('id'), z.enum(eventNames).parse(req.param('event')))
    return redirect('/', 303)
  })

  app.get('/', (context) =>
    context.html(renderOutbox(outbox, webhookSecret === null ? [] : eventNames, deliveries)),
  )
  serveDeliveries(app, deliveries)

  const { url, close } = await serveOnLoopback(app, port)
  return {
    url,
    outbox,
    deliveries,
    failNext: (failure: Failure) => failures.push(failure),
    close: async () => {
      await deliveries.stop()
      await close()
    },
  }
}
