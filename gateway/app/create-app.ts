import { Hono } from 'hono/tiny'
import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Ports } from '#native-routes/ports.ts'
import { ClientGoneError } from '../node/read-body.ts'
import { describeError } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { type Readiness, readinessReport } from '../observability/readiness.ts'
import { serializeOpenApi } from '../pages/openapi.ts'
import { type NativeOutcome, type ServeNativeDependencies, serveNative } from '../pipeline/serve-native.ts'
import { type RequestContext, serviceHeaders } from '../request/context.ts'
import type { Cors } from '../request/cors.ts'
import { type Decision, decide, type NativeDecision } from '../request/decide.ts'
import { methodNotAllowed } from '../request/method-not-allowed.ts'
import { emptyResponse, errorResponse, type GatewayResponse, jsonResponse } from '../request/response.ts'
import { sharePageHeaders } from '../request/share-pages.ts'

export interface GatewayParts extends ServeNativeDependencies {
  readonly cors: Cors
  readonly metrics: Metrics
  readonly readiness: Readiness
  /** The routes that native may not serve. */
  readonly killed: ReadonlySet<Label>
  /** Pages of the gateway beside those that it has everywhere. */
  readonly pages?: readonly Pages[]
}

/** Paths outside `/v1` that the gateway answers itself; their answers are stamped like all others. */
export type Pages = Hono<{ Bindings: RequestEnvironment }>

/** What a platform's entry gives each request that it hands to the gateway. */
export interface RequestEnvironment {
  readonly exchange: RequestContext
  readonly decision: Exclude<Decision, { kind: 'forward' }>
  readonly ports: Ports
  /** Sends the request to the core after native could not serve it. */
  readonly fallBack: () => Promise<Response>
}

// RFC 9110 section 9.3.2: HEAD tells the length that GET would have.
const lengthForHead = ({ body }: GatewayResponse, { method }: RequestContext) =>
  method === 'HEAD' && body !== undefined ? { 'content-length': String(encoder.encode(body).length) } : {}

const encoder = new TextEncoder()

/** The headers of an answer of the gateway's own: these stand on it whatever else it says. */
export const headersOf = (
  answer: GatewayResponse,
  exchange: RequestContext,
  cors: Cors,
): Record<string, string> => ({
  ...answer.headers,
  ...lengthForHead(answer, exchange),
  ...cors.headersFor(exchange),
  ...sharePageHeaders(exchange.path),
  'cache-control': 'no-store',
  ...serviceHeaders(exchange),
})

export const toResponse = (answer: GatewayResponse, exchange: RequestContext, cors: Cors) =>
  new Response(exchange.method === 'HEAD' ? null : (answer.body ?? null), {
    status: answer.status,
    headers: headersOf(answer, exchange, cors),
  })

const stampPage = ({ headers }: Response, exchange: RequestContext, cors: Cors) => {
  const stamp = { ...cors.headersFor(exchange), 'cache-control': 'no-store', ...serviceHeaders(exchange) }
  for (const [name, value] of Object.entries(stamp)) headers.set(name, value)
}

// RFC 9110 section 15.5.6: a page is not unknown because it is asked for in another way.
const answerOfNoPage = ({ method, path }: RequestContext, routes: Pages['routes']): GatewayResponse => {
  const methods = routes
    .filter((route) => route.path === path && route.method !== 'ALL')
    .map((one) => one.method)
  if (methods.length === 0) return errorResponse(new ApiError('route_not_found'))
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
  if (method === 'OPTIONS') return emptyResponse(204, { allow: allow.join(', ') })
  return errorResponse(methodNotAllowed(allow))
}

/**
 * Everything of the gateway that does not depend on a platform: what to do with a request, and the gateway's own
 * answers. Forwarding is the entry's part, for there the platforms differ.
 */
export const createGateway = (parts: GatewayParts) => {
  const { cors, metrics, readiness, routeBreaker, log } = parts
  const app: Pages = new Hono()

  const respond = (answer: GatewayResponse, { exchange }: RequestEnvironment) =>
    toResponse(answer, exchange, cors)

  const serve = (decision: NativeDecision, exchange: RequestContext, ports: Ports): Promise<NativeOutcome> =>
    serveNative(decision, exchange, parts, ports)

  // What is to be served natively is settled already, by the canonical path; only pages are routed here.
  app.all('*', async (context, next) => {
    const { env } = context
    const { exchange, decision, ports } = env
    if (decision.kind === 'page') {
      await next()
      stampPage(context.res, exchange, cors)
      return
    }
    const result = await serve(decision, exchange, ports)
    return result === 'fall-back' ? env.fallBack() : respond(result, env)
  })

  app.get('/healthz', ({ env }) => respond(jsonResponse(200, { status: 'up' }), env))
  app.get('/readyz', async ({ env }) => {
    const { status, body } = await readinessReport(readiness)
    return respond(jsonResponse(status, body), env)
  })
  app.get('/metrics', ({ env }) =>
    respond(
      { status: 200, headers: { 'content-type': 'text/plain; version=0.0.4' }, body: metrics.text() },
      env,
    ),
  )
  app.get('/openapi.json', ({ env }) =>
    respond(
      {
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: serializeOpenApi(),
      },
      env,
    ),
  )
  for (const pages of parts.pages ?? []) app.route('/', pages)

  app.notFound(({ env }) => respond(answerOfNoPage(env.exchange, app.routes), env))
  app.onError((error, { env }) => {
    if (error instanceof ApiError || error instanceof ClientGoneError) throw error
    log.error({ requestId: env.exchange.requestId, failure: describeError(error) }, 'gateway failed')
    return respond(errorResponse(new ApiError('internal_error')), env)
  })
  return {
    decide: ({ match, path }: RequestContext): Decision =>
      decide(match, path, {
        hasCore: parts.hasCore,
        isNativeFailing: routeBreaker.isOpen,
        isKilled: (label) => parts.killed.has(label),
      }),
    /** The preflight's answer, or null where the request is none. */
    preflight: (exchange: RequestContext): GatewayResponse | null =>
      cors.isPreflight(exchange) ? emptyResponse(204, cors.preflightHeadersFor(exchange)) : null,
    /** Serves what is no page where a platform has a cheaper way to answer than a `Response`. */
    serve,
    fetch: (request: Request, environment: RequestEnvironment) => app.fetch(request, environment),
  }
}

export type Gateway = ReturnType<typeof createGateway>
