import type { RequestContext } from './context.ts'
import { createAllowedOrigins, sharePageHeaders } from './share-pages.ts'

export type CorsRequest = Pick<RequestContext, 'method' | 'path' | 'header'>

const exposed =
  'x-service-core-runtime, x-service-native-route, x-service-proxy-fallback, x-request-id, etag, location, content-range, retry-after'
const preflightMaxAgeS = '600'

/**
 * What a browser of an allowed origin is told, alike for native and proxied answers, so that porting a route
 * never takes it from a browser client. Without allowed origins the core's own headers pass untouched.
 */
export const createCors = (everywhere: readonly string[], appOrigin: string | undefined) => {
  const originsFor = createAllowedOrigins(everywhere, appOrigin)
  const allowedOriginOf = (request: CorsRequest) => {
    const allowed = originsFor(request.path)
    const origin = allowed.size > 0 ? request.header('origin') : undefined
    return origin !== undefined && allowed.has(origin) ? origin : null
  }

  return {
    /** Whether the gateway speaks for the core in these matters. */
    speaksFor: ({ path }: Pick<CorsRequest, 'path'>) => originsFor(path).size > 0,

    isPreflight: (request: CorsRequest) =>
      originsFor(request.path).size > 0 &&
      request.method === 'OPTIONS' &&
      (request.path === '/v1' || request.path.startsWith('/v1/')) &&
      request.header('origin') !== undefined &&
      request.header('access-control-request-method') !== undefined,

    headersFor(request: CorsRequest): Readonly<Record<string, string>> {
      if (originsFor(request.path).size === 0) return {}
      const origin = allowedOriginOf(request)
      return origin === null
        ? { vary: 'Origin' }
        : { vary: 'Origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed }
    },

    /** The further headers of a preflight's answer; none for an origin that is not allowed. */
    preflightHeadersFor(request: CorsRequest): Readonly<Record<string, string>> {
      if (allowedOriginOf(request) === null) return {}
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

const pathOfTarget = (target: string) =>
  target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')

/** What stands beside a refusal of a request whose target may be no sound one: the same as beside other answers. */
export const errorResponseHeaders = (
  cors: Cors,
  { target, ...request }: Omit<CorsRequest, 'path'> & { readonly target: string },
) => {
  const path = pathOfTarget(target)
  return { ...cors.headersFor({ ...request, path }), ...sharePageHeaders(path) }
}
