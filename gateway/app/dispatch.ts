import type { Context } from 'hono'
import type { Label } from '#contracts/route-table.ts'
import { type ServeNativeDependencies, serveNative } from '../pipeline/serve-native.ts'
import type { RequestContext } from '../request/context.ts'
import type { Cors } from '../request/cors.ts'
import { type DecisionOptions, decide, type NativeDecision } from '../request/decide.ts'
import type { GatewayBindings, GatewayEnv } from '../request/gateway-env.ts'
import { allMethods, emptyResponse } from '../request/response.ts'

export interface DispatchDependencies extends ServeNativeDependencies {
  readonly cors: Cors
  /** Native routes that `GATEWAY_KILL` disables. */
  readonly disabledRoutes: ReadonlySet<Label>
  /** Serves paths outside `/v1`. */
  readonly servePage: (request: Request, bindings: GatewayBindings) => Response | Promise<Response>
}

// RFC 9110: `OPTIONS *` (section 9.3.7) and OPTIONS with Max-Forwards 0 (section 7.6.2) are for this server.
const isForThisHop = ({ method, path, header }: RequestContext) =>
  path === '*' || (method === 'OPTIONS' && /^0+$/.test(header('max-forwards') ?? ''))

const createOptionsResponse = (request: RequestContext, cors: Cors) => {
  if (cors.isPreflight(request)) return emptyResponse(204, cors.preflightHeadersFor(request))
  return isForThisHop(request) ? emptyResponse(204, { allow: allMethods }) : null
}

/**
 * Creates the function that serves a request as `decide` selects: natively, from the core or as a page. It responds to
 * preflight requests and to OPTIONS for this server itself.
 */
export const createDispatch = (dependencies: DispatchDependencies) => {
  const options: DecisionOptions = {
    hasCore: dependencies.hasCore,
    isBreakerOpen: dependencies.routeBreaker.isOpen,
    isDisabled: (label) => dependencies.disabledRoutes.has(label),
  }

  const runNative = (decision: NativeDecision, { request, platform }: GatewayBindings) =>
    platform.withPorts(async (ports) => {
      const result = await serveNative(decision, request, dependencies, ports)
      if (typeof result !== 'string') return platform.respond(result)
      request.outcome.fallbackReason = result
      return platform.forward(decision.kind === 'native' ? decision.label : null)
    })

  const runPage = async (context: Context<GatewayEnv>) => {
    const page = await dependencies.servePage(context.req.raw, context.env)
    return context.env.platform.sendFetchResponse(page, page.headers.get('content-length'))
  }

  return (context: Context<GatewayEnv>): void | Promise<void> => {
    const { env } = context
    const { request, platform } = env
    const optionsResponse = createOptionsResponse(request, dependencies.cors)
    if (optionsResponse) return platform.respond(optionsResponse)
    const decision = decide(request.match, request.path, options)
    request.outcome.reason = decision.reason
    if (decision.kind === 'page') return runPage(context)
    if (decision.kind !== 'forward') return runNative(decision, env)
    // A disabled route is not native for now, and so does not fall back.
    if (decision.reason === 'breaker') request.outcome.fallbackReason = 'breaker'
    return platform.forward(decision.label)
  }
}
