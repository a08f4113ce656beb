import type { MiddlewareHandler } from 'hono'
import type { HonoBase } from 'hono/hono-base'
import type { GatewayEnv } from '../request/platform.ts'

export type GatewayMiddleware = MiddlewareHandler<GatewayEnv>

export type MountMiddleware = (app: HonoBase<GatewayEnv>) => void

/**
 * Mount your Hono middleware here. It runs around every well-formed request (pages, native routes and forwarded
 * requests), in this order and on the paths you give.
 *
 *     export const mountMiddleware: MountMiddleware = (app) => {
 *       app.use(addRegion)
 *       app.use('/v1/billing/*', countBilling)
 *     }
 *
 * - Headers set before `next()` (`c.header(name, value)`) go out with every response, including forwarded ones. Headers
 *   that only the gateway sets are ignored: service, CORS, framing and hop-by-hop headers, and those that describe a
 *   body, such as `Content-Type` and `ETag` (see `request/response.ts`).
 * - After `next()` the response has been sent. Read `outcome.status`, `outcome.runtime` and `durationMs()` from
 *   `c.env.context`. A `Response` set then is ignored and logged.
 * - To respond yourself, return a `Response` without calling `next()`.
 * - Middleware cannot read request bodies, or change the bodies of forwarded responses.
 * - Patterns match the canonical path, and case matters. Use them to add headers, not to control access: a core that
 *   ignores case serves `/v1/Billing` without the middleware of `/v1/billing/*`.
 */
export const mountMiddleware: MountMiddleware = () => {}
