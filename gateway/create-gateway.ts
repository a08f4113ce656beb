import { Hono } from 'hono'
import { ApiError } from '#contracts/errors.ts'
import type { Ports } from '#native-routes/ports.ts'
import { type Answer, emptyAnswer, errorAnswer, jsonAnswer } from './answer.ts'
import type { Cors } from './cors.ts'
import { type Decision, decide } from './decide.ts'
import { type Exchange, stampOf } from './exchange.ts'
import { describeError } from './log.ts'
import type { Metrics } from './metrics.ts'
import { type Readiness, readinessReport } from './readiness.ts'
import { type ServeNativeParts, serveNative } from './serve-native.ts'

export interface GatewayParts extends ServeNativeParts {
  readonly cors: Cors
  readonly metrics: Metrics
  readonly readiness: Readiness
}

/** What a platform's entry gives each request that it hands to the gateway. */
export interface RequestEnvironment {
  readonly exchange: Exchange
  readonly decision: Exclude<Decision, { kind: 'forward' }>
  readonly ports: Ports
  /** Sends the request to the core after native could not serve it. */
  readonly fallBack: () => Promise<Response>
}

// RFC 9110 section 9.3.2: HEAD tells the length that GET would have.
const lengthForHead = ({ body }: Answer, { method }: Exchange) =>
  method === 'HEAD' && body !== undefined ? { 'content-length': String(encoder.encode(body).length) } : {}

const encoder = new TextEncoder()

/** The headers of an answer of the gateway's own: these stand on it whatever else it says. */
export const headersOf = (answer: Answer, exchange: Exchange, cors: Cors): Record<string, string> => ({
  ...answer.headers,
  ...lengthForHead(answer, exchange),
  ...cors.headersFor(exchange),
  'cache-control': 'no-store',
  ...stampOf(exchange),
})

const toResponse = (answer: Answer, exchange: Exchange, cors: Cors) =>
  new Response(answer.body ?? null, { status: answer.status, headers: headersOf(answer, exchange, cors) })

/**
 * Everything of the gateway that does not depend on a platform: what to do with a request, and the gateway's own
 * answers. Forwarding is the entry's part, for there the platforms differ.
 */
export const createGateway = (parts: GatewayParts) => {
  const { cors, metrics, readiness, log } = parts
  const app = new Hono<{ Bindings: RequestEnvironment }>()

  const respond = (answer: Answer, { exchange }: RequestEnvironment) => toResponse(answer, exchange, cors)

  // What is to be served natively is settled already, by the canonical path; only pages are routed here.
  app.all('*', async ({ env }, next) => {
    const { exchange, decision, ports } = env
    if (decision.kind === 'page') return next()
    const result = await serveNative(decision, exchange, parts, ports)
    return result === 'fall-back' ? env.fallBack() : respond(result, env)
  })

  app.get('/healthz', ({ env }) => respond(jsonAnswer(200, { status: 'up' }), env))
  app.get('/readyz', async ({ env }) => {
    const { status, body } = await readinessReport(readiness)
    return respond(jsonAnswer(status, body), env)
  })
  app.get('/metrics', ({ env }) =>
    respond(
      { status: 200, headers: { 'content-type': 'text/plain; version=0.0.4' }, body: metrics.text() },
      env,
    ),
  )

  app.notFound(({ env }) => respond(errorAnswer(new ApiError('route_not_found')), env))
  app.onError((error, { env }) => {
    log.error({ requestId: env.exchange.requestId, failure: describeError(error) }, 'gateway failed')
    return respond(errorAnswer(new ApiError('internal_error')), env)
  })
  return {
    decide: (exchange: Exchange): Decision => decide(exchange.match, exchange.path, parts.hasCore),
    /** The preflight's answer, or null where the request is none. */
    preflight: (exchange: Exchange): Answer | null =>
      cors.isPreflight(exchange) ? emptyAnswer(204, cors.preflightHeadersFor(exchange)) : null,
    fetch: (request: Request, environment: RequestEnvironment) => app.fetch(request, environment),
  }
}

export type Gateway = ReturnType<typeof createGateway>
