import type { Context, ExecutionContext, Handler } from 'hono'
import { HonoBase } from 'hono/hono-base'
import { HTTPException } from 'hono/http-exception'
import { matchedRoutes } from 'hono/route'
import { type Result, type Router, UnsupportedPathError } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { TrieRouter } from 'hono/router/trie-router'
import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { describeError } from '#shared/describe-error.ts'
import { runInTrace, traceIdOf } from '#shared/tracing/trace.ts'
import { createThrottledLog, type Log } from '../observability/log.ts'
import { ClientGoneError, enterRoute, type RequestContext } from '../request/context.ts'
import { createThinRequest, type GatewayBindings, type GatewayEnv } from '../request/platform.ts'
import { errorResponse, InvalidHeaderError, readAddedHeaders } from '../request/response.ts'
import type { MountMiddleware } from './middleware.ts'
import { createServe, type ServeDependencies } from './serve.ts'

/**
 * Creates a router that returns the first row that matches. Paths without parameters are in a map. Most others are in
 * `RegExpRouter`, which is five times as fast as `TrieRouter` but rejects paths with a parameter where another has a
 * literal. `TrieRouter` has those few, so literals come first here too. Only for rows: with middleware, several handlers
 * match a path.
 */
export const createRowRouter = <T>(): Router<T> => {
  const literal = new Map<string, Map<string, Result<T>>>()
  const fast = new RegExpRouter<T>()
  const rest = new TrieRouter<T>()

  const addLiteral = (method: string, path: string, handler: T) => {
    const ofMethod = literal.get(method) ?? new Map<string, Result<T>>()
    if (!ofMethod.has(path)) ofMethod.set(path, [[[handler, {}]]])
    literal.set(method, ofMethod)
  }

  return {
    name: 'RowRouter',
    add(method, path, handler) {
      if (!path.includes(':')) return addLiteral(method, path, handler)
      try {
        fast.add(method, path, handler)
      } catch (error) {
        if (!(error instanceof UnsupportedPathError)) throw error
        rest.add(method, path, handler)
      }
    },
    match(method, path) {
      const known = literal.get(method)?.get(path)
      if (known) return known
      const found = fast.match(method, path)
      return found[0].length > 0 ? found : rest.match(method, path)
    },
  }
}

export interface AppOptions extends ServeDependencies {
  readonly log: Log
  readonly mountMiddleware: MountMiddleware
}

// Called `c` as in Hono's documentation. The request's context is `c.env.context`.
type HonoContext = Context<GatewayEnv>

// Hono needs a leading slash, which `OPTIONS *` (RFC 9112, section 3.2.4) lacks. `*` is encoded because Hono's router
// would match a segment `*` twice against a pattern that ends in `*`.
const toHonoPath = (context: RequestContext | undefined) => {
  const path = context?.path ?? ''
  return (path.startsWith('/') ? path : `/${path}`).replaceAll('*', '%2A')
}

const shapeOf = (path: string) =>
  path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? 'parameter' : 'literal'))
    .join()

/** Sorts paths in matching order: if two match a request, the one whose literal segment comes first wins. */
export const comparePrecedence = (a: string, b: string): number =>
  shapeOf(a) < shapeOf(b) ? -1 : Number(shapeOf(a) > shapeOf(b))

export const mountRows = (
  app: HonoBase<GatewayEnv>,
  createHandler: (label: Label) => Handler<GatewayEnv>,
  rows: readonly Label[] = labels,
) => {
  for (const label of rows.toSorted((a, b) => comparePrecedence(rowOf(a).path, rowOf(b).path))) {
    const { method, path } = rowOf(label)
    app.on(method, path, createHandler(label))
  }
}

const respondToError = async (error: unknown, { context, platform }: GatewayBindings, log: Log) => {
  const { outcome, requestId, trace } = context
  if (error instanceof ClientGoneError) return platform.abandon()
  if (error instanceof HTTPException && outcome.status === undefined)
    return platform.sendFetchResponse(error.getResponse(), null)
  const apiError = error instanceof ApiError ? error : new ApiError('internal_error')
  if (apiError !== error)
    log.error({ requestId, traceId: traceIdOf(trace), failure: describeError(error) }, 'request failed')
  if (outcome.status !== undefined) return platform.destroy()
  outcome.error = apiError.code
  platform.respond(errorResponse(apiError))
}

/** The platform writes the responses, so what a handler returns to Hono only says that the request was served. */
export const createApp = ({ mountMiddleware, log, ...dependencies }: AppOptions) => {
  const { serveRow, serveUnmatched } = createServe(dependencies)
  const middleware = new HonoBase<GatewayEnv>({ router: new TrieRouter() })
  mountMiddleware(middleware)
  const hasMiddleware = middleware.routes.length > 0
  const app = new HonoBase<GatewayEnv>({
    router: hasMiddleware ? new TrieRouter() : createRowRouter(),
    getPath: (_raw, options) => toHonoPath(options?.env?.context),
  })
  const logThrottled = createThrottledLog(log)
  const labelByHandler = new Map<unknown, Label>()

  // Drops the headers set by middleware, since one of them may be what failed.
  const recover = async (error: unknown, env: GatewayBindings) => {
    env.context.addedHeaders = null
    await respondToError(error, env, log).finally(() => env.context.releaseBody())
  }

  const alreadySent = new Response()
  // The current handler's work. Hono does not await it, because that would cost three more promises.
  let serving: void | Promise<void>
  const serveWithoutMiddleware = ({ env }: HonoContext, serve: () => void | Promise<void>) => {
    const { context } = env
    try {
      const started = serve()
      serving =
        started === undefined
          ? context.releaseBody()
          : started.then(
              () => context.releaseBody(),
              (error) => recover(error, env),
            )
    } catch (error) {
      serving = recover(error, env)
    }
    return alreadySent
  }

  // Created for each request: middleware may set headers on it, and other clients must not get those.
  const createAlreadySent = ({ context }: GatewayBindings) =>
    new Response(null, { status: context.outcome.status ?? 499 })

  const serveWithinMiddleware = async ({ env, res }: HonoContext, serve: () => void | Promise<void>) => {
    env.context.addedHeaders = readAddedHeaders(res.headers)
    try {
      await serve()
    } finally {
      // Released now, because middleware may run for a long time after `next()`.
      env.context.releaseBody()
    }
    await env.platform.waitForEnd()
    return createAlreadySent(env)
  }

  const run = hasMiddleware ? serveWithinMiddleware : serveWithoutMiddleware

  if (hasMiddleware) {
    app.use((c, next) => {
      // Once `res` exists, Hono adds the middleware's headers to any Response set later.
      void c.res
      // Middleware may respond itself. Its response has to name the route too, so the route is entered before.
      const route = matchedRoutes(c).find(({ handler }) => labelByHandler.has(handler))
      const label = labelByHandler.get(route?.handler)
      if (label !== undefined) enterRoute(c.env.context, label)
      return next()
    })
    app.route('/', middleware)
  }
  mountRows(app, (label) => {
    const handler: Handler<GatewayEnv> = (c) =>
      run(c, () => {
        enterRoute(c.env.context, label)
        return serveRow(label, c.env)
      })
    labelByHandler.set(handler, label)
    return handler
  })
  const handleUnmatched = (c: HonoContext) => run(c, () => serveUnmatched(c.env, c.req.raw))
  // Middleware that calls `c.notFound()` wants a 404, not whatever serves unmatched requests.
  if (hasMiddleware) app.all('*', handleUnmatched)
  else app.notFound(handleUnmatched)
  app.onError(async (error, c) => {
    const { env } = c
    if (hasMiddleware && !(error instanceof InvalidHeaderError))
      env.context.addedHeaders ??= readAddedHeaders(c.res.headers)
    await respondToError(error, env, log).finally(() => env.context.releaseBody())
    return createAlreadySent(env)
  })

  // `outcome.status` says whether a response was written. Hono's return value does not: it may be a copy.
  const sendOrIgnore = async (response: Response, { context, platform }: GatewayBindings) => {
    const { status } = context.outcome
    if (status === undefined) return platform.sendFetchResponse(response, null)
    if (response.body !== null || response.status !== status)
      runInTrace(context.trace, () =>
        logThrottled(
          new TypeError('a Response was set after the head was sent'),
          'middleware response ignored',
        ),
      )
  }

  return {
    hasMiddleware,
    /** Resolves once the response is written and the body released; never rejects. */
    serve(env: GatewayBindings, executionCtx?: ExecutionContext): void | Promise<void> {
      const failed = (error: unknown) => recover(error, env)
      try {
        const responding = app.fetch(createThinRequest(env.platform), env, executionCtx)
        if (hasMiddleware)
          return Promise.resolve(responding)
            .then((response) => sendOrIgnore(response, env))
            .catch(failed)
        const started = serving
        // For HEAD and unmatched requests, `fetch` returns a promise.
        return responding instanceof Promise ? responding.then(() => started, failed) : started
      } catch (error) {
        return failed(error)
      }
    },
  }
}
