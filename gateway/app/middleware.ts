import type { MiddlewareHandler } from 'hono'
import type { GatewayEnv } from '../request/gateway-env.ts'

export type GatewayMiddleware = MiddlewareHandler<GatewayEnv>

/**
 * The extension point for operators. Each middleware listed here runs in this order for every well-formed request: pages,
 * native routes and forwarded requests.
 *
 * - Headers set before `next()` (`c.header(name, value)`) are sent with every response, including forwarded ones.
 *   Headers that only the gateway sets are ignored: service, CORS, `Content-*`, framing and hop-by-hop headers (see
 *   `request/middleware-headers.ts`).
 * - After `next()` the response has been sent: read `outcome.status`, `outcome.runtime` and `durationMs()` from
 *   `c.env.request`. A `Response` that is set then is ignored and logged.
 * - Return a `Response` without calling `next()` to send it instead of serving the request.
 * - Middleware cannot read request bodies or change the bodies of forwarded responses.
 */
export const middleware: readonly GatewayMiddleware[] = []
