import { Hono } from 'hono/tiny'
import { ApiError } from '#contracts/errors.ts'
import type { Metrics } from '../observability/metrics.ts'
import { checkReadiness, type Readiness } from '../observability/readiness.ts'
import type { GatewayEnv } from '../request/gateway-env.ts'
import { createMethodNotAllowedError } from '../request/method-not-allowed.ts'
import { emptyResponse, errorResponse, type GatewayResponse, jsonResponse } from '../request/response.ts'
import { serializeOpenApi } from './openapi.ts'

/** Pages of the gateway: paths outside `/v1`. */
export type PageApp = Hono<GatewayEnv>

interface PagesOptions {
  readonly metrics: Metrics
  readonly readiness: Readiness
  /** Pages that only one platform serves. */
  readonly platformPages: readonly PageApp[]
}

const encoder = new TextEncoder()

/** Creates a response with a content length, so that it is not sent chunked. */
export const createPageResponse = (
  body: string | Uint8Array,
  headers: Record<string, string>,
  status = 200,
) => {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  // The fetch types exclude views of a SharedArrayBuffer. Encoders and file reads never return one.
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    status,
    headers: { ...headers, 'content-length': String(bytes.length) },
  })
}

const toFetchResponse = ({ status, headers, body }: GatewayResponse) =>
  body === undefined ? new Response(null, { status, headers }) : createPageResponse(body, headers, status)

// RFC 9110, section 15.5.6: a known path with another method is 405, not 404.
const createUnmatchedResponse = (
  method: string,
  path: string,
  routes: PageApp['routes'],
): GatewayResponse => {
  const methods = routes
    // Hono registers middleware as `ALL`.
    .filter((route) => route.path === path && route.method !== 'ALL')
    .map((route) => route.method)
  if (methods.length === 0) return errorResponse(new ApiError('route_not_found'))
  // Hono serves HEAD with the handler of GET.
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
  if (method === 'OPTIONS') return emptyResponse(204, { allow: allow.join(', ') })
  return errorResponse(createMethodNotAllowedError(allow))
}

/** Creates the pages of the gateway, and the responses to unknown paths and methods outside `/v1`. */
export const createPages = ({ metrics, readiness, platformPages }: PagesOptions): PageApp => {
  // The canonical path is determined at the edge.
  const pages: PageApp = new Hono({ getPath: (_raw, options) => options?.env?.request.path ?? '/' })

  pages.get('/healthz', () => toFetchResponse(jsonResponse(200, { status: 'up' })))
  pages.get('/readyz', async () => {
    const { status, body } = await checkReadiness(readiness)
    return toFetchResponse(jsonResponse(status, body))
  })
  // Version 0.0.4 of the text format of Prometheus.
  pages.get('/metrics', () =>
    createPageResponse(metrics.text(), { 'content-type': 'text/plain; version=0.0.4' }),
  )
  pages.get('/openapi.json', () =>
    createPageResponse(serializeOpenApi(), { 'content-type': 'application/json; charset=utf-8' }),
  )
  for (const platformApp of platformPages) pages.route('/', platformApp)

  pages.notFound(({ env: { request } }) =>
    toFetchResponse(createUnmatchedResponse(request.method, request.path, pages.routes)),
  )
  // Hono would respond itself; `app/create-app.ts` handles the errors of all requests.
  pages.onError((error) => {
    throw error
  })
  return pages
}
