import type { MiddlewareHandler } from 'hono'
import type { GatewayEnv } from '../request/gateway-env.ts'

export type GatewayMiddleware = MiddlewareHandler<GatewayEnv>

/**
 * The extension point of a platform team: what is listed here sees every request that is well-formed, in this order,
 * whether it is a page, served natively or forwarded.
 *
 * - Headers set before `next()` (`c.header(name, value)`) are sent with every response, forwarded ones included. The
 *   gateway alone sets the service, CORS, framing and hop-by-hop headers and those that describe a body.
 * - After `next()` the response has been sent: `c.env.request` has its `outcome.status`, `outcome.runtime` and
 *   `durationMs()`. A `Response` that is set then is ignored.
 * - A `Response` returned without `next()` is sent instead of serving the request.
 * - The body of a request cannot be read here, nor can that of a forwarded response be changed.
 */
export const middleware: readonly GatewayMiddleware[] = []
