import { Hono } from 'hono/tiny'
import { ApiError } from '#contracts/errors.ts'
import type { Metrics } from '../observability/metrics.ts'
import { createReadinessReport, type Readiness } from '../observability/readiness.ts'
import type { GatewayEnv } from '../request/gateway-env.ts'
import { createMethodNotAllowedError } from '../request/method-not-allowed.ts'
import { emptyResponse, errorResponse, type GatewayResponse, jsonResponse } from '../request/response.ts'
import { serializeOpenApi } from './openapi.ts'

/** The pages of the gateway: paths outside `/v1`. */
export type Pages = Hono<GatewayEnv>

interface PagesOptions {
  readonly metrics: Metrics
  readonly readiness: Readiness
  /** Pages that only one platform serves. */
  readonly platformPages: readonly Pages[]
}

const encoder = new TextEncoder()

/** Creates a response with a content length, so that it is not sent chunked. */
export const createPageResponse = (
  body: string | Uint8Array,
  headers: Record<string, string>,
  status = 200,
) => {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  // The fetch types only accept bytes of a plain ArrayBuffer, which encoders and files return.
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    status,
    headers: { ...headers, 'content-length': String(bytes.length) },
  })
}

const toPageResponse = ({ status, headers, body }: GatewayResponse) =>
  body === undefined ? new Response(null, { status, headers }) : createPageResponse(body, headers, status)

// RFC 9110 section 15.5.6: a known path with another method is 405, not 404.
const createNotFoundResponse = (method: string, path: string, routes: Pages['routes']): GatewayResponse => {
  const methods = routes
    .filter((route) => route.path === path && route.method !== 'ALL')
    .map((route) => route.method)
  if (methods.length === 0) return errorResponse(new ApiError('route_not_found'))
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
  if (method === 'OPTIONS') return emptyResponse(204, { allow: allow.join(', ') })
  return errorResponse(createMethodNotAllowedError(allow))
}

/** Creates the pages of the gateway and the error response for all other paths outside `/v1`. */
export const createPages = ({ metrics, readiness, platformPages }: PagesOptions): Pages => {
  const pages: Pages = new Hono({ getPath: (_raw, options) => options?.env?.request.path ?? '/' })

  pages.get('/healthz', () => toPageResponse(jsonResponse(200, { status: 'up' })))
  pages.get('/readyz', async () => {
    const { status, body } = await createReadinessReport(readiness)
    return toPageResponse(jsonResponse(status, body))
  })
  pages.get('/metrics', () =>
    createPageResponse(metrics.text(), { 'content-type': 'text/plain; version=0.0.4' }),
  )
  pages.get('/openapi.json', () =>
    createPageResponse(serializeOpenApi(), { 'content-type': 'application/json; charset=utf-8' }),
  )
  for (const page of platformPages) pages.route('/', page)

  pages.notFound(({ env: { request } }) =>
    toPageResponse(createNotFoundResponse(request.method, request.path, pages.routes)),
  )
  // Errors are handled where those of all other requests are.
  pages.onError((error) => {
    throw error
  })
  return pages
}
