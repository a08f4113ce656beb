import { Hono } from 'hono/tiny'
import { ApiError } from '#contracts/errors.ts'
import type { Metrics } from '../observability/metrics.ts'
import { type Readiness, readinessReport } from '../observability/readiness.ts'
import type { GatewayEnv } from '../request/gateway-env.ts'
import { methodNotAllowed } from '../request/method-not-allowed.ts'
import { emptyResponse, errorResponse, type GatewayResponse, jsonResponse } from '../request/response.ts'
import { serializeOpenApi } from './openapi.ts'

/** Paths outside `/v1` that the gateway serves itself. */
export type Pages = Hono<GatewayEnv>

interface PagesOptions {
  readonly metrics: Metrics
  readonly readiness: Readiness
  /** What only one platform has. */
  readonly platformPages: readonly Pages[]
}

const encoder = new TextEncoder()

/** A page with its length, so that it is not sent in chunks. */
export const pageResponse = (body: string | Uint8Array, headers: Record<string, string>, status = 200) => {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  // Fetch types take bytes over a plain ArrayBuffer only, which is what an encoder and a file return.
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    status,
    headers: { ...headers, 'content-length': String(bytes.length) },
  })
}

const toPage = ({ status, headers, body }: GatewayResponse) =>
  body === undefined ? new Response(null, { status, headers }) : pageResponse(body, headers, status)

// RFC 9110 section 15.5.6: a page is not unknown because it is requested with another method.
const responseOfNoPage = (method: string, path: string, routes: Pages['routes']): GatewayResponse => {
  const methods = routes
    .filter((route) => route.path === path && route.method !== 'ALL')
    .map((one) => one.method)
  if (methods.length === 0) return errorResponse(new ApiError('route_not_found'))
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
  if (method === 'OPTIONS') return emptyResponse(204, { allow: allow.join(', ') })
  return errorResponse(methodNotAllowed(allow))
}

/** The pages of the gateway, and the error for every other path that is not of the service. */
export const createPages = ({ metrics, readiness, platformPages }: PagesOptions): Pages => {
  const pages: Pages = new Hono({ getPath: (_raw, options) => options?.env?.request.path ?? '/' })

  pages.get('/healthz', () => toPage(jsonResponse(200, { status: 'up' })))
  pages.get('/readyz', async () => {
    const { status, body } = await readinessReport(readiness)
    return toPage(jsonResponse(status, body))
  })
  pages.get('/metrics', () => pageResponse(metrics.text(), { 'content-type': 'text/plain; version=0.0.4' }))
  pages.get('/openapi.json', () =>
    pageResponse(serializeOpenApi(), { 'content-type': 'application/json; charset=utf-8' }),
  )
  for (const one of platformPages) pages.route('/', one)

  pages.notFound(({ env: { request } }) =>
    toPage(responseOfNoPage(request.method, request.path, pages.routes)),
  )
  // Whatever a page throws is responded to where every error is.
  pages.onError((error) => {
    throw error
  })
  return pages
}
