import { setTimeout as sleep } from 'node:timers/promises'
import fastify, { type FastifyReply } from 'fastify'
import { createDeliveries } from '../deliveries.ts'
import { sendError, serveApi } from './api.ts'
import { type Behaviour, defaultBehaviour } from './behaviour.ts'
import { type CheckoutSession, type Price, ProviderError, providerId } from './billing-store.ts'
import { createEvent, signEvent } from './events.ts'
import { parseForm } from './form.ts'
import { sessionObject } from './objects.ts'
import { createOutages } from './outages.ts'
import { servePages } from './pages.ts'
import { openBillingStore } from './stored-billing.ts'
import { type BillingChange, createSubscriptionLifecycle } from './subscription-lifecycle.ts'

interface BillingOptions {
  readonly secretKey: string
  readonly webhookSecret: string
  readonly prices: readonly Price[]
  /** 0 or unset: the system chooses. */
  readonly port?: number
  /** What is known is kept in here between starts. */
  readonly stateFile?: string
  readonly retryMs?: number
}

interface ApiRequest {
  readonly method: string
  readonly path: string
}

const hangUp = (reply: FastifyReply) => {
  reply.hijack()
  reply.raw.destroy()
  return reply
}

/** Starts a billing provider that the real provider's client can talk to. */
export const startBillingProvider = async (options: BillingOptions) => {
  const { secretKey, webhookSecret, prices, port = 0, stateFile, retryMs = 1000 } = options
  const { kept, keep } = openBillingStore(stateFile)
  const { undelivered, ...books } = kept
  const requests: ApiRequest[] = []
  const replies = new Map<string, { readonly asked: string; readonly answer: string }>()
  const portals = new Map<string, { readonly customer: string; readonly returnUrl: string }>()
  let behaviour: Behaviour = defaultBehaviour

  const onChange = () => keep({ ...books, undelivered: deliveries.pending() })
  const deliveries = createDeliveries({
    sign: (event) => signEvent(webhookSecret, event),
    carelessness: () => behaviour,
    retryMs,
    pending: undelivered,
    onChange: () => onChange(),
  })
  const tell = (happening: BillingChange) => deliveries.tell(createEvent(happening))
  const ledger = createSubscriptionLifecycle(books, tell)
  const outages = createOutages(books)
  const behave = (change: Partial<Behaviour>) => {
    behaviour = { ...behaviour, ...change }
  }
  const tellOfSession = (event: string, session: CheckoutSession) => {
    const price = prices.find(({ id }) => id === session.priceId)
    tell({ type: `checkout.session.${event}`, object: sessionObject(session, '', price) })
  }

  const app = fastify({ forceCloseConnections: true })
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
    done(null, parseForm(String(body))),
  )
  app.setErrorHandler((error, _, reply) =>
    sendError(
      reply,
      error instanceof ProviderError ? error : new ProviderError(400, 'bad_request', 'Bad request.'),
    ),
  )

  app.register(async (api) => {
    api.addHook('onRequest', async ({ method, url, headers }, reply) => {
      requests.push({ method, path: url.split('?', 1)[0] ?? '' })
      const { delayMs, down } = behaviour
      if (delayMs > 0) await sleep(delayMs)
      if (down) return hangUp(reply)
      if (headers.authorization !== `Bearer ${secretKey}`)
        return reply.code(401).send({ error: { type: 'invalid_request_error', message: 'Invalid API Key' } })
    })
    api.addHook('preHandler', async (request, reply) => {
      if (outages.isCutOff(request)) return hangUp(reply)
    })
    // A request with a key that was used before is answered as it was then.
    api.addHook('preHandler', async ({ headers, url, body }, reply) => {
      const known = replies.get(String(headers['idempotency-key']))
      if (!known) return
      if (known.asked === url + JSON.stringify(body)) return reply.type('application/json').send(known.answer)
      return reply.code(400).send({
        error: { type: 'idempotency_error', message: 'The key was used with other parameters.' },
      })
    })
    api.addHook('onSend', async ({ headers, url, body }, reply, payload) => {
      const key = headers['idempotency-key']
      if (typeof key === 'string' && reply.statusCode < 500 && typeof payload === 'string')
        replies.set(key, { asked: url + JSON.stringify(body), answer: payload })
      return payload
    })
    serveApi(api, {
      books,
      ledger,
      prices,
      baseUrl: () => url,
      openPortal: (portal) => {
        const id = providerId('bps')
        portals.set(id, portal)
        return id
      },
      tellOfSession,
      onChange,
    })
  })
  servePages(app, {
    books,
    ledger,
    prices,
    portals,
    deliveries,
    behaviour: () => behaviour,
    behave,
    beginOutage: outages.begin,
    tellOfSession,
  })

  const url = await app.listen({ port, host: '127.0.0.1' })
  onChange()
  return {
    url,
    books,
    ledger,
    deliveries,
    /** The requests to the API so far. */
    requests,
    behave,
    close: async () => {
      await deliveries.stop()
      await app.close()
    },
  }
}

export type SandboxBilling = Awaited<ReturnType<typeof startBillingProvider>>
