import type { MiddlewareHandler } from 'hono'
import type { GatewayEnv } from '../request/gateway-env.ts'

export type GatewayMiddleware = MiddlewareHandler<GatewayEnv>

/**
 * The extension point for platform teams. Each middleware listed here runs in this order for every well-formed request:
 * pages, native routes and forwarded requests.
 *
 * - Headers set before `next()` (`c.header(name, value)`) are sent with every response, including forwarded ones.
 *   Service, CORS, framing, hop-by-hop and body-describing headers are ignored: only the gateway sets them.
 * - After `next()` the response has been sent: read `outcome.status`, `outcome.runtime` and `durationMs()` from
 *   `c.env.request`. Setting a `Response` at that point has no effect.
 * - Return a `Response` without calling `next()` to send it instead of serving the request.
 * - Middleware cannot read request bodies or change the bodies of forwarded responses.
 */
export const middleware: readonly GatewayMiddleware[] = []
