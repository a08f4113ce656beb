import { createHmac, randomBytes } from 'node:crypto'
import fastify from 'fastify'
import * as z from 'zod'
import { createDeliveries, type ProviderEvent } from '../deliveries.ts'
import { serveResend } from '../delivery-pages.ts'
import { renderOutbox } from './outbox-page.ts'

interface EmailOptions {
  /** `whsec_` and base64, as in Standard Webhooks; null: no events are sent. */
  readonly webhookSecret: string | null
  /** Required of requests to send; unset: they need none. */
  readonly apiKey?: string
  /** 0 or unset: the system chooses. */
  readonly port?: number
  readonly retryMs?: number
}

const Message = z.object({
  from: z.string().optional(),
  to: z.email(),
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

/** A response of the provider in place of accepting a message. */
interface Failure {
  readonly status: number
  readonly name: string
  readonly headers?: Readonly<Record<string, string>>
}

const createId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

/**
 * Starts an e-mail provider that sends no e-mail. It stores messages in an outbox, whose page sends a signed webhook
 * event for a message at the press of a button.
 */
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

  const app = fastify({ forceCloseConnections: true })
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  app.setErrorHandler((_, __, reply) => reply.code(400).send({ error: 'bad_request' }))

  // As Resend does: a repeated key returns the same id for the same message, and an error for another one.
  app.post('/emails', async ({ body, headers }, reply) => {
    if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`)
      return reply.code(401).send({ statusCode: 401, name: 'missing_api_key' })
    const content = Message.parse(body)
    const failure = failures.shift()
    if (failure) {
      const { status, name, headers: failureHeaders = {} } = failure
      return reply.code(status).headers(failureHeaders).send({ statusCode: status, name })
    }
    const key = String(headers['idempotency-key'] ?? createId('key'))
    const earlier = requests.get(key)
    if (earlier !== undefined && earlier.content !== JSON.stringify(content))
      return reply.code(409).send({ statusCode: 409, name: 'invalid_idempotent_request' })
    if (earlier !== undefined) return { id: earlier.id }
    const message = { ...content, id: createId('email'), sentAt: new Date().toISOString() }
    requests.set(key, { content: JSON.stringify(content), id: message.id })
    outbox.unshift(message)
    return { id: message.id }
  })

  app.get('/emails', async () => ({ records: outbox }))

  app.post('/emails/:id/:event', async ({ params }, reply) => {
    const Params = z.object({ id: z.string(), event: z.enum(eventNames) })
    const { id, event } = Params.parse(params)
    emitEvent(id, event)
    return reply.redirect('/', 303)
  })

  app.post('/sandbox/endpoint', async ({ body }, reply) => {
    deliveries.setEndpoint(z.object({ url: z.url() }).parse(body).url)
    return reply.code(204).send()
  })

  app.get('/', async (_, reply) => {
    const offered = webhookSecret === null ? [] : eventNames
    return reply.type('text/html; charset=utf-8').send(renderOutbox(outbox, offered, deliveries))
  })
  serveResend(app, deliveries)

  const url = await app.listen({ port, host: '127.0.0.1' })
  return {
    url,
    outbox,
    deliveries,
    /** Makes the next request to send fail. */
    failNext: (failure: Failure) => failures.push(failure),
    close: async () => {
      await deliveries.stop()
      await app.close()
    },
  }
}
