import { Hono } from 'hono/tiny'
import { ApiError } from '#contracts/errors.ts'
import type { RequestContext } from '../request/context.ts'
import {
  type BodyChunk,
  createMethodNotAllowedError,
  emptyResponse,
  errorResponse,
  type TextResponse,
} from '../request/response.ts'

export interface PageBindings {
  readonly context: RequestContext
}

export type PageApp = Hono<{ Bindings: PageBindings }>

const encoder = new TextEncoder()
const contents = new WeakMap<Response, BodyChunk>()

/** Returns the raw body of a page response; undefined if it has none or was not created by this module. */
export const contentOf = (response: Response): BodyChunk | undefined => contents.get(response)

const createSizedResponse = (
  body: BodyChunk | null,
  content: BodyChunk,
  headers: Record<string, string>,
  status: number,
) => {
  const response = new Response(body, {
    status,
    headers: { ...headers, 'content-length': String(content.length) },
  })
  contents.set(response, content)
  return response
}

/** Creates a response with a content length, so it is not chunked. */
export const createPageResponse = (text: string, headers: Record<string, string>, status = 200) => {
  const content = encoder.encode(text)
  return createSizedResponse(content, content, headers, status)
}

/**
 * Creates a response whose body is shared by all requests, because a `Response` would copy it for each of them. Only
 * `contentOf` returns this body.
 */
export const createAssetResponse = (content: BodyChunk, headers: Record<string, string>) =>
  createSizedResponse(null, content, headers, 200)

export const toFetchResponse = ({ status, headers, body }: TextResponse) =>
  body === undefined ? new Response(null, { status, headers }) : createPageResponse(body, headers, status)

/** Shares one result. After a failure, the next call tries again. */
export const loadOnce = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load()
    loading.catch(() => {
      loading = undefined
    })
    return loading
  }
}

// A parameter is always a whole segment: `/api/routes/:scope`.
const isPathOf = (pattern: string, path: string) => {
  const segments = path.split('/')
  const expected = pattern.split('/')
  return (
    segments.length === expected.length &&
    expected.every((segment, index) => segment.startsWith(':') || segment === segments[index])
  )
}

// The job worker has no description to check a path against.
const createNotFoundError = (routes: PageApp['routes']) =>
  routes.some(({ path }) => path === '/openapi.json')
    ? new ApiError('route_not_found')
    : new ApiError('route_not_found', {}, { message: 'There is nothing at this path.' })

// RFC 9110, section 15.5.6: a known path with the wrong method is 405, not 404.
const createUnmatchedResponse = (
  { method, path, hasRewrittenPath }: RequestContext,
  routes: PageApp['routes'],
): TextResponse => {
  const methods = [
    ...new Set(
      routes
        // Hono registers middleware as `ALL`, and lists a method once for each of its handlers.
        .filter((route) => isPathOf(route.path, path) && route.method !== 'ALL')
        .map((route) => route.method),
    ),
  ]
  if (methods.length === 0 || hasRewrittenPath) return errorResponse(createNotFoundError(routes))
  // Hono serves HEAD with the GET handler.
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
  if (method === 'OPTIONS') return emptyResponse(204, { allow: allow.join(', ') })
  return errorResponse(createMethodNotAllowedError(allow))
}

// A proxy in front may block a page by its path. Trailing slashes (which Hono also matches) and decoded escapes must
// not give it a second spelling that the proxy does not know.
const isExactSpelling = ({ path, hasRewrittenPath }: RequestContext) =>
  !hasRewrittenPath && (path === '/' || !path.endsWith('/'))

// Matches no page, because every path begins with a slash.
const unknownPath = 'unknown'

// Every path of the operator API needs the token, even if no page matches.
const unknownOperatorPath = '/api/unknown'

const toPagePath = (context: RequestContext | undefined) => {
  if (context === undefined) return unknownPath
  if (isExactSpelling(context)) return context.path
  return context.path.startsWith('/api/') ? unknownOperatorPath : unknownPath
}

/** Each path has exactly one spelling. */
export const createPageApp = (parts: readonly PageApp[]): PageApp => {
  const pages: PageApp = new Hono({ getPath: (_raw, options) => toPagePath(options?.env?.context) })
  for (const part of parts) pages.route('/', part)
  pages.notFound(({ env: { context } }) => toFetchResponse(createUnmatchedResponse(context, pages.routes)))
  // Hono would respond itself, but the listener handles every request's errors.
  pages.onError((error) => {
    throw error
  })
  return pages
}
