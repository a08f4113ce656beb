import type { Context, ExecutionContext } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { Hono } from 'hono/tiny'
import { ApiError } from '#contracts/errors.ts'
import { describeError } from '#shared/describe-error.ts'
import { runInTrace, traceIdOf } from '#shared/tracing/trace.ts'
import { ClientGoneError } from '../edge/client-gone-error.ts'
import type { Log } from '../observability/log.ts'
import { createThrottledLog } from '../observability/throttled-log.ts'
import { createTracedLog } from '../ports/traced-log.ts'
import type { RequestContext } from '../request/context.ts'
import type { GatewayBindings, GatewayEnv } from '../request/gateway-env.ts'
import { InvalidHeaderError, readAddedHeaders } from '../request/middleware-headers.ts'
import { errorResponse } from '../request/response.ts'
import { createDispatch, type DispatchDependencies } from './dispatch.ts'
import type { GatewayMiddleware } from './middleware.ts'

export interface AppOptions extends DispatchDependencies {
  readonly log: Log
  readonly middleware: readonly GatewayMiddleware[]
}

export interface App {
  /**
   * Runs the middleware and serves the request; the promise resolves when its response is written and its body is
   * released. Never rejects. On Workers `executionCtx` lets work outlive its response.
   */
  fetch(raw: Request, bindings: GatewayBindings, executionCtx?: ExecutionContext): void | Promise<void>
}

// Hono requires handlers to return a Response, but the gateway writes its responses itself. `outcome.status` records
// whether one was written; the return value of `app.fetch` does not, because Hono may return a copy.
const placeholderResponse = new Response(null)
const noResult = () => {}

// The canonical path was determined at the edge. `OPTIONS *` (RFC 9112, section 3.2.4) has no leading slash, and Hono
// matches no route without one.
const toHonoPath = (request: RequestContext | undefined) =>
  request?.path.startsWith('/') ? request.path : `/${request?.path ?? ''}`

/** Creates the app that every platform uses: middleware, then one catch-all route that dispatches the request. */
export const createApp = ({ middleware, ...dependencies }: AppOptions): App => {
  const { log } = dependencies
  const logThrottled = createThrottledLog(createTracedLog(log))
  const dispatch = createDispatch(dependencies)
  const app = new Hono<GatewayEnv>({
    getPath: (_raw, options) => toHonoPath(options?.env?.request),
  })

  const respondToError = async (error: unknown, { request, platform }: GatewayBindings) => {
    if (error instanceof ClientGoneError) return platform.abandon()
    if (error instanceof HTTPException && request.outcome.status === undefined)
      return platform.sendFetchResponse(error.getResponse(), null)
    const apiError = error instanceof ApiError ? error : new ApiError('internal_error')
    if (apiError !== error)
      log.error(
        {
          requestId: request.requestId,
          traceId: traceIdOf(request.trace),
          failure: describeError(error),
        },
        'request failed',
      )
    if (request.outcome.status !== undefined) return platform.destroy()
    request.outcome.error = apiError.code
    platform.respond(errorResponse(apiError))
  }

  // Without the added headers, because one of them may be what failed.
  const recover = async (error: unknown, bindings: GatewayBindings) => {
    bindings.request.addedHeaders = null
    await respondToError(error, bindings).finally(() => bindings.request.releaseBody())
  }

  // Each request gets its own Response: headers that middleware sets on a shared one would leak to other clients.
  const createHonoResponse = ({ request }: GatewayBindings) =>
    middleware.length === 0
      ? placeholderResponse
      : new Response(null, { status: request.outcome.status ?? 499 })

  const sendOrIgnore = async (response: Response, { request, platform }: GatewayBindings) => {
    const { status } = request.outcome
    if (status === undefined) return platform.sendFetchResponse(response, null)
    if (response.body !== null || response.status !== status)
      runInTrace(request.trace, () =>
        logThrottled(
          new TypeError('a Response was set after the head was sent'),
          'middleware response ignored',
        ),
      )
  }

  // Once `res` exists, Hono adds the headers that middleware sets to every Response that is set later.
  if (middleware.length > 0)
    app.use((context, next) => {
      void context.res
      return next()
    })
  for (const handler of middleware) app.use(handler)

  // Neither async nor awaited by Hono: each promise on the way of a request costs as much as looking up its route. See
  // "GET of 1 KiB, 32 connections" in bench/README.md.
  const serveAlone = (context: Context<GatewayEnv>) => {
    const { env } = context
    env.served = dispatch(context)?.then(
      () => env.request.releaseBody(),
      (error) => recover(error, env),
    )
    return placeholderResponse
  }

  const serveWithinMiddleware = async (context: Context<GatewayEnv>) => {
    const { env } = context
    env.request.addedHeaders = readAddedHeaders(context.res.headers)
    try {
      await dispatch(context)
    } finally {
      // Not only after the middleware, which may take its time after `next()`.
      env.request.releaseBody()
    }
    await env.platform.waitForEnd()
    return createHonoResponse(env)
  }

  app.all('*', middleware.length === 0 ? serveAlone : serveWithinMiddleware)

  app.onError(async (error, context) => {
    const { env } = context
    if (middleware.length > 0 && !(error instanceof InvalidHeaderError))
      env.request.addedHeaders ??= readAddedHeaders(context.res.headers)
    await respondToError(error, env)
    return createHonoResponse(env)
  })

  const fetchWithinMiddleware: App['fetch'] = async (raw, bindings, executionCtx) => {
    try {
      await sendOrIgnore(await app.fetch(raw, bindings, executionCtx), bindings)
    } catch (error) {
      await recover(error, bindings)
    }
  }

  const fetchAlone: App['fetch'] = (raw, bindings, executionCtx) => {
    const returned = app.fetch(raw, bindings, executionCtx)
    // Not what Hono returned: for HEAD that is always a promise, which resolves before the request is served.
    if (bindings.served) return bindings.served
    if (returned instanceof Promise) return returned.then(noResult, (error) => recover(error, bindings))
  }

  return { fetch: middleware.length === 0 ? fetchAlone : fetchWithinMiddleware }
}
