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

/** What the Hono context of a page provides. */
export interface PageBindings {
  readonly context: RequestContext
}

/** Pages: paths outside `/v1`. */
export type PageApp = Hono<{ Bindings: PageBindings }>

const encoder = new TextEncoder()
const contents = new WeakMap<Response, BodyChunk>()

/** The body of a page's response, to be written as it is; undefined if the response has none or was made otherwise. */
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

/** Creates a response with a content length, so it is not sent chunked. */
export const createPageResponse = (text: string, headers: Record<string, string>, status = 200) => {
  const content = encoder.encode(text)
  return createSizedResponse(content, content, headers, status)
}

/**
 * Creates a response whose body all requests share: a `Response` would copy it for each. Only `contentOf` returns the body.
 */
export const createAssetResponse = (content: BodyChunk, headers: Record<string, string>) =>
  createSizedResponse(null, content, headers, 200)

export const toFetchResponse = ({ status, headers, body }: TextResponse) =>
  body === undefined ? new Response(null, { status, headers }) : createPageResponse(body, headers, status)

// Patterns have parameters only as whole segments: `/api/routes/:scope`.
const isPathOf = (pattern: string, path: string) => {
  const segments = path.split('/')
  const expected = pattern.split('/')
  return (
    segments.length === expected.length &&
    expected.every((segment, index) => segment.startsWith(':') || segment === segments[index])
  )
}

// RFC 9110, section 15.5.6: a known path with another method is 405, not 404.
const createUnmatchedResponse = (
  { method, path, hasRewrittenPath }: RequestContext,
  routes: PageApp['routes'],
): TextResponse => {
  const methods = [
    ...new Set(
      routes
        // Hono registers middleware as `ALL`, and each handler of a route for itself.
        .filter((route) => isPathOf(route.path, path) && route.method !== 'ALL')
        .map((route) => route.method),
    ),
  ]
  if (methods.length === 0 || hasRewrittenPath) return errorResponse(new ApiError('route_not_found'))
  // Hono serves HEAD with the handler of GET.
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
  if (method === 'OPTIONS') return emptyResponse(204, { allow: allow.join(', ') })
  return errorResponse(createMethodNotAllowedError(allow))
}

// A proxy in front of the gateway may block a page by its path. Hono's router also matches a trailing slash, and the
// canonical path has its escapes decoded: neither may be a second spelling that the proxy does not know.
const isExactSpelling = ({ path, hasRewrittenPath }: RequestContext) =>
  !hasRewrittenPath && (path === '/' || !path.endsWith('/'))

// Matches no page, because each path begins with a slash.
const unknownPath = 'unknown'

// The token is required for any path of the operator API, also for a spelling that is no page.
const unknownOperatorPath = '/api/unknown'

const toPagePath = (context: RequestContext | undefined) => {
  if (context === undefined) return unknownPath
  if (isExactSpelling(context)) return context.path
  return context.path.startsWith('/api/') ? unknownOperatorPath : unknownPath
}

/** Creates an app of several pages, which responds to unknown paths and methods as well. Its paths have one spelling. */
export const createPageApp = (parts: readonly PageApp[]): PageApp => {
  const pages: PageApp = new Hono({ getPath: (_raw, options) => toPagePath(options?.env?.context) })
  for (const part of parts) pages.route('/', part)
  pages.notFound(({ env: { context } }) => toFetchResponse(createUnmatchedResponse(context, pages.routes)))
  // Hono would respond itself; the listener handles the errors of all requests.
  pages.onError((error) => {
    throw error
  })
  return pages
}
