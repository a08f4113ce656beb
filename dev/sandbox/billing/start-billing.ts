import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { MiddlewareHandler } from 'hono'
import * as z from 'zod'
import { createDeliveries } from '../deliveries.ts'
import { createSandboxApp, serveOnLoopback } from '../listen.ts'
import { type ApiRequest, type Behaviour, type BillingParts, createApi } from './api.ts'
import { type Price, StripeApiError } from './billing-store.ts'
import { parseForm } from './form.ts'
import { type BillingChange, createEvent, serializeSession, signEvent } from './objects.ts'
import { servePages } from './pages.ts'
import { openBillingStore } from './stored-billing.ts'
import { createSubscriptionLifecycle } from './subscription-lifecycle.ts'

interface SandboxBillingOptions {
  readonly secretKey: string
  readonly webhookSecret: string
  readonly prices: readonly Price[]
  readonly port?: number
  /** Stores the state across restarts. Without it, the state is lost on exit. */
  readonly stateFile?: string
  readonly retryMs?: number
}

const Customer = z.object({ customer: z.string() })

interface KnownRequest {
  readonly request: string
  /** Null while the request is being served. */
  response: Response | null
}

/** Makes the API repeat the response to the first request with the same idempotency key. */
const repeatResponses = (): MiddlewareHandler => {
  const requests = new Map<string, KnownRequest>()
  return async (context, next) => {
    const { req, json } = context
    const key = req.header('idempotency-key')
    if (key === undefined) return next()
    const request = req.url + (await req.text())
    const known = requests.get(key)
    const fail = (status: 400 | 409, code: string, message: string) =>
      json({ error: { type: 'idempotency_error', code, message } }, status)
    if (known?.response && known.request === request) {
      const { status, headers, body } = known.response.clone()
      return new Response(body, { status, headers: [...headers, ['idempotent-replayed', 'true']] })
    }
    if (known)
      return known.request === request
        ? fail(409, 'idempotency_key_in_use', 'A request with the key is being served.')
        : fail(
            400,
            'idempotency_key_reused',
            'This idempotency key was already used with different parameters.',
          )
    const served: KnownRequest = { request, response: null }
    requests.set(key, served)
    await next()
    if (context.res.status >= 500) requests.delete(key)
    else if (context.res.status !== 409) served.response = context.res.clone()
  }
}

const closeConnection = ({ outgoing }: HttpBindings) => {
  outgoing.destroy()
  return RESPONSE_ALREADY_SENT
}

/** Starts a simulated billing provider that works with the real provider's client library. */
export const startBillingProvider = async (options: SandboxBillingOptions) => {
  const { secretKey, webhookSecret, prices, port = 0, stateFile, retryMs = 1000 } = options
  const { state, save } = openBillingStore(stateFile)
  const { undelivered, ...store } = state
  const requests: ApiRequest[] = []
  const unreachable = new Set<string>()
  const silenced = new Set<string>()
  let behaviour: Behaviour = { delayMs: 0, down: false, repeat: 0, reorder: false }
  const setBehaviour = (change: Partial<Behaviour>) => {
    behaviour = { ...behaviour, ...change }
  }

  const onChange = () => save({ ...store, undelivered: deliveries.pending() })
  const deliveries = createDeliveries({
    sign: (event) => signEvent(webhookSecret, event),
    faults: () => behaviour,
    retryMs,
    pending: undelivered,
    onChange: () => onChange(),
  })
  const emit = (change: BillingChange) => {
    const { data } = Customer.safeParse(change.object)
    if (!silenced.has(data?.customer ?? '')) deliveries.enqueue(createEvent(change))
  }
  const parts: BillingParts = {
    store,
    lifecycle: createSubscriptionLifecycle(store, emit),
    prices,
    portals: new Map(),
    deliveries,
    requests,
    baseUrl: () => url,
    behaviour: () => behaviour,
    setBehaviour,
    unreachable,
    silenced,
    emitSessionEvent(event, session) {
      const price = prices.find(({ id }) => id === session.priceId)
      emit({ type: `checkout.session.${event}`, object: serializeSession(session, '', price) })
    },
    onChange,
  }

  /** The parameters of a request name its customer, or its path names a subscription. */
  const findCustomer = (path: string, parameters: unknown) => {
    const id = path.split('/').at(-1) ?? ''
    const subscription = Object.hasOwn(store.subscriptions, id) ? store.subscriptions[id] : undefined
    return Customer.safeParse(parameters).data?.customer ?? subscription?.customer ?? ''
  }

  const app = createSandboxApp()
  app.onError((error, { json }) => {
    const { status, code, message } =
      error instanceof StripeApiError ? error : new StripeApiError(400, 'bad_request', 'Bad request.')
    return json({ error: { type: 'invalid_request_error', code, message } }, status)
  })

  app.use('/v1/*', async ({ req, env, json }, next) => {
    requests.push({ method: req.method, path: req.path })
    const { delayMs, down } = behaviour
    if (delayMs > 0) await sleep(delayMs)
    if (down) return closeConnection(env)
    if (req.header('authorization') !== `Bearer ${secretKey}`)
      return json({ error: { type: 'invalid_request_error', message: 'Invalid API Key' } }, 401)
    const parameters = { ...parseForm(await req.text()), ...req.query() }
    return unreachable.has(findCustomer(req.path, parameters)) ? closeConnection(env) : next()
  })
  app.use('/v1/*', repeatResponses())
  app.route('/', createApi(parts))
  servePages(app, parts)

  const { url, close } = await serveOnLoopback(app, port)
  onChange()
  return {
    url,
    store,
    lifecycle: parts.lifecycle,
    deliveries,
    requests,
    setBehaviour,
    close: async () => {
      await deliveries.stop()
      await close()
    },
  }
}

export type SandboxBilling = Awaited<ReturnType<typeof startBillingProvider>>
