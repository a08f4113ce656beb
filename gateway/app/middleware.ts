import type { MiddlewareHandler } from 'hono'
import type { HonoBase } from 'hono/hono-base'
import type { GatewayEnv } from '../request/platform.ts'

export type GatewayMiddleware = MiddlewareHandler<GatewayEnv>

/** Mounts middleware on the app that serves every request. */
export type MountMiddleware = (app: HonoBase<GatewayEnv>) => void

/**
 * The extension point for operators. Middleware that is mounted here runs, in this order and for the paths that it is
 * mounted on, around every well-formed request: pages, native routes and forwarded requests.
 *
 *     export const mountMiddleware: MountMiddleware = (app) => {
 *       app.use(addRegion)
 *       app.use('/v1/billing/*', countBilling)
 *     }
 *
 * - Headers set before `next()` (`c.header(name, value)`) are sent with every response, including forwarded ones.
 *   Headers that only the gateway sets are ignored: service, CORS, framing and hop-by-hop headers, and those that describe
 *   a body, such as `Content-Type` and `ETag` (see `request/response-headers.ts`).
 * - After `next()` the response has been sent: read `outcome.status`, `outcome.runtime` and `durationMs()` from
 *   `c.env.context`. A `Response` that is set then is ignored and logged.
 * - Return a `Response` without calling `next()` to send it instead of serving the request.
 * - Middleware cannot read request bodies or change the bodies of forwarded responses.
 * - A path pattern matches the canonical path, and case matters. Use it to add headers, not to control access: a core that
 *   ignores case serves `/v1/Billing` without the middleware of `/v1/billing/*`.
 */
export const mountMiddleware: MountMiddleware = () => {}
