import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import { runInTrace } from '#shared/tracing/trace.ts'
import type { Log } from '../observability/log.ts'
import { createThrottledLog } from '../observability/throttled-log.ts'
import { createTracedLog } from '../ports/traced-log.ts'
import type { RequestContext } from '../request/context.ts'
import type { GatewayBindings, GatewayEnv } from '../request/gateway-env.ts'
import { createLazyRequest } from '../request/lazy-request.ts'
import { InvalidHeaderError, readAddedHeaders } from '../request/middleware-headers.ts'
import type { App } from './create-app.ts'
import type { Dispatch } from './dispatch.ts'
import type { GatewayMiddleware } from './middleware.ts'
import type { Recovery } from './recover.ts'

interface MiddlewareOptions {
  readonly middleware: readonly GatewayMiddleware[]
  readonly dispatch: Dispatch
  readonly recovery: Recovery
  readonly log: Log
}

// The canonical path was determined at the edge. `OPTIONS *` (RFC 9112, section 3.2.4) has no leading slash, and Hono
// matches no route without one.
const toHonoPath = (request: RequestContext | undefined) =>
  request?.path.startsWith('/') ? request.path : `/${request?.path ?? ''}`

// Hono requires handlers to return a Response, but the gateway writes its responses itself. Each request gets its own:
// headers that middleware sets on a shared one would leak to other clients.
const createHonoResponse = ({ request }: GatewayBindings) =>
  new Response(null, { status: request.outcome.status ?? 499 })

/** Runs middleware around `dispatch`, in a Hono app with one catch-all route. */
export const runMiddleware = ({ middleware, dispatch, recovery, log }: MiddlewareOptions): App => {
  const logThrottled = createThrottledLog(createTracedLog(log))
  const app = new Hono<GatewayEnv>({
    getPath: (_raw, options) => toHonoPath(options?.env?.request),
  })

  const serveWithinMiddleware = async (context: Context<GatewayEnv>) => {
    const { env } = context
    env.request.addedHeaders = readAddedHeaders(context.res.headers)
    try {
      await dispatch(env)
    } finally {
      // Not only after the middleware, which may take its time after `next()`.
      env.request.releaseBody()
    }
    await env.platform.waitForEnd()
    return createHonoResponse(env)
  }

  // `outcome.status` records whether a response was written; what Hono returns does not, because it may be a copy.
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
  app.use((context, next) => {
    void context.res
    return next()
  })
  for (const handler of middleware) app.use(handler)

  app.all('*', serveWithinMiddleware)

  app.onError(async (error, context) => {
    const { env } = context
    if (!(error instanceof InvalidHeaderError))
      env.request.addedHeaders ??= readAddedHeaders(context.res.headers)
    await recovery.respond(error, env)
    return createHonoResponse(env)
  })

  return {
    async serve(bindings, executionCtx) {
      try {
        const raw = createLazyRequest(bindings.platform)
        await sendOrIgnore(await app.fetch(raw, bindings, executionCtx), bindings)
      } catch (error) {
        await recovery.recover(error, bindings)
      }
    },
  }
}
