import { createHmac, randomBytes } from 'node:crypto'
import * as z from 'zod'
import { Email } from '#contracts/shared/email.ts'
import { createDeliveries, type ProviderEvent } from '../deliveries.ts'
import { serveDeliveries } from '../delivery-pages.ts'
import { createSandboxApp, serveOnLoopback } from '../listen.ts'
import { renderOutbox } from './outbox-page.ts'

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
export type SentMessage = z.infer<typeof Message> & { readonly id: string; readonly sentAt: string }

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

  app.get('/', ({ html }) => html(renderOutbox(outbox, webhookSecret === null ? [] : eventNames, deliveries)))
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
