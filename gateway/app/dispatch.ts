import type { Label } from '#contracts/route-table.ts'
import { type ServeNativeDependencies, serveNative } from '../pipeline/serve-native.ts'
import type { RequestContext } from '../request/context.ts'
import type { Cors } from '../request/cors.ts'
import { type Decision, decide } from '../request/decide.ts'
import type { GatewayEnv } from '../request/gateway-env.ts'
import { allMethods, emptyResponse } from '../request/response.ts'

export interface DispatchDependencies extends ServeNativeDependencies {
  readonly cors: Cors
  /** Native routes that are switched off. */
  readonly killed: ReadonlySet<Label>
  /** Serves paths outside `/v1`. */
  readonly servePage: (request: Request, bindings: GatewayEnv['Bindings']) => Response | Promise<Response>
}

// RFC 9110 section 7.6.2: OPTIONS with no hops left is for this hop.
const isForThisHop = ({ method, path, header }: RequestContext) =>
  path === '*' || (method === 'OPTIONS' && /^0+$/.test(header('max-forwards') ?? ''))

const createImmediateResponse = (request: RequestContext, cors: Cors) => {
  if (cors.isPreflight(request)) return emptyResponse(204, cors.preflightHeadersFor(request))
  return isForThisHop(request) ? emptyResponse(204, { allow: allMethods }) : null
}

const decideRequest = ({ match, path }: RequestContext, dependencies: DispatchDependencies): Decision =>
  decide(match, path, {
    hasCore: dependencies.hasCore,
    isNativeFailing: dependencies.routeBreaker.isOpen,
    isKilled: (label) => dependencies.killed.has(label),
  })

/** Decides whether native code, the core or a page serves a request, and runs it there. */
export const dispatch = async (
  raw: Request,
  bindings: GatewayEnv['Bindings'],
  dependencies: DispatchDependencies,
): Promise<void> => {
  const { request, platform } = bindings
  const immediate = createImmediateResponse(request, dependencies.cors)
  if (immediate) return platform.respond(immediate)
  const decision = decideRequest(request, dependencies)
  if (decision.kind === 'forward') {
    request.outcome.fallback = decision.insteadOfNative
    return platform.forward(decision.label)
  }
  if (decision.kind === 'page') {
    const page = await dependencies.servePage(raw, bindings)
    return platform.send(page, page.headers.get('content-length'))
  }
  return platform.withPorts(async (ports) => {
    const result = await serveNative(decision, request, dependencies, ports)
    if (result !== 'fall-back') return platform.respond(result)
    request.outcome.fallback = true
    return platform.forward(decision.kind === 'native' ? decision.label : null)
  })
}
