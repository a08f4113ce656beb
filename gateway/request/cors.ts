import { pipelineHeaders, responseHeaders } from '#contracts/shared/response-headers.ts'
import type { RequestContext } from './context.ts'

const isSharePage = (path: string) => path.startsWith('/v1/public/') || path.startsWith('/v1/pack-links/')

const noIndexHeaders = { 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' }

/** The URL is a secret, so search engines must not index it and browsers must not send it as a referrer. */
export const sharePageHeaders = (path: string): Readonly<Record<string, string>> =>
  isSharePage(path) ? noIndexHeaders : {}

const createAllowedOrigins = (corsOrigins: readonly string[], appOrigin: string | undefined) => {
  const defaultOrigins: ReadonlySet<string> = new Set(corsOrigins)
  const sharePageOrigins: ReadonlySet<string> = new Set([...corsOrigins, ...(appOrigin ? [appOrigin] : [])])
  return (path: string) => (isSharePage(path) ? sharePageOrigins : defaultOrigins)
}

export type CorsRequest = Pick<RequestContext, 'method' | 'path' | 'header'>

/** Whether a browser asks if a page of another origin may send a request. It sends no token with it. */
export const isPreflight = (request: Pick<CorsRequest, 'method' | 'header'>) =>
  request.method === 'OPTIONS' &&
  request.header('origin') !== undefined &&
  request.header('access-control-request-method') !== undefined

// Exposes every header that contracts, errors and the pipeline declare, so browser clients can read them.
const exposedHeaders = [
  'x-service-core-runtime',
  'x-service-native-route',
  'x-service-proxy-fallback',
  'x-request-id',
  'etag',
  'content-range',
  ...Object.keys(responseHeaders),
  ...Object.keys(pipelineHeaders),
].join(', ')
const preflightMaxAgeS = '600'

/**
 * Sets the same CORS headers on native and forwarded responses, so that porting a route never breaks browser clients.
 * Without `corsOrigins`, the core's own headers pass through, except for requests of `appOrigin` to share pages.
 */
export const createCors = (corsOrigins: readonly string[], appOrigin: string | undefined) => {
  const originsFor = createAllowedOrigins(corsOrigins, appOrigin)
  const findAllowedOrigin = (request: CorsRequest) => {
    const allowed = originsFor(request.path)
    const origin = allowed.size > 0 ? request.header('origin') : undefined
    return origin !== undefined && allowed.has(origin) ? origin : null
  }

  const isManaged = (request: CorsRequest) => corsOrigins.length > 0 || findAllowedOrigin(request) !== null

  return {
    /** Whether the gateway's CORS headers replace the core's. */
    isManaged,

    answersPreflight: (request: CorsRequest) =>
      isPreflight(request) &&
      isManaged(request) &&
      (request.path === '/v1' || request.path.startsWith('/v1/')),

    headersFor(request: CorsRequest): Readonly<Record<string, string>> {
      if (originsFor(request.path).size === 0) return {}
      const origin = findAllowedOrigin(request)
      return origin === null
        ? { vary: 'Origin' }
        : {
            vary: 'Origin',
            'access-control-allow-origin': origin,
            'access-control-expose-headers': exposedHeaders,
          }
    },

    preflightHeadersFor(request: CorsRequest): Readonly<Record<string, string>> {
      if (findAllowedOrigin(request) === null) return {}
      const requested = request.header('access-control-request-headers')
      return {
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        ...(requested === undefined ? {} : { 'access-control-allow-headers': requested }),
        'access-control-max-age': preflightMaxAgeS,
      }
    },
  }
}

export type Cors = ReturnType<typeof createCors>

const extractPath = (target: string) =>
  target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')

export const createErrorResponseHeaders = (
  cors: Cors,
  { target, method, header }: Omit<CorsRequest, 'path'> & { readonly target: string },
) => {
  const path = extractPath(target)
  return { ...cors.headersFor({ method, header, path }), ...sharePageHeaders(path) }
}
