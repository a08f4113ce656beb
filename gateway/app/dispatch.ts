import { inSpan, runInTrace, type Span } from '#shared/tracing/trace.ts'
import { type Credentials, createAccountFinder } from '../pipeline/authenticate.ts'
import { mayHaveStoredResponse } from '../pipeline/idempotency/may-have-stored-response.ts'
import type { RequestContext, RequestOutcome } from '../request/context.ts'
import type { Cors } from '../request/cors.ts'
import {
  type Decision,
  type DecisionOptions,
  decide,
  type NativeDecision,
  type RowDecision,
} from '../request/decide.ts'
import type { GatewayBindings } from '../request/gateway-env.ts'
import { createLazyRequest } from '../request/lazy-request.ts'
import { combineBreakers, type NativeStops } from '../request/native-stops.ts'
import type { NativeOutcome } from '../request/platform.ts'
import { allMethods, emptyResponse } from '../request/response.ts'
import type { RouteBreaker } from '../request/route-breaker.ts'
import type { RoutingPort } from '../request/routing-port.ts'

export interface DispatchDependencies {
  readonly credentials: Credentials
  readonly routeBreaker: RouteBreaker
  readonly cors: Cors
  readonly hasCore: boolean
  readonly routing: Pick<RoutingPort, 'current'>
  readonly waitUntilFresh: DecisionOptions['waitUntilFresh']
  readonly stops: NativeStops
  /** Serves paths outside `/v1`. */
  readonly servePage: (request: Request, bindings: GatewayBindings) => Response | Promise<Response>
}

/** Load balancers and orchestrators request these. */
const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

// RFC 9110: `OPTIONS *` (section 9.3.7) and OPTIONS with Max-Forwards 0 (section 7.6.2) are for this server.
const isForThisHop = (request: RequestContext) =>
  request.path === '*' || (request.method === 'OPTIONS' && /^0+$/.test(request.header('max-forwards') ?? ''))

const createOptionsResponse = (request: RequestContext, cors: Cors) => {
  if (cors.isPreflight(request)) return emptyResponse(204, cors.preflightHeadersFor(request))
  return isForThisHop(request) ? emptyResponse(204, { allow: allMethods }) : null
}

const recordFallback = (span: Span | null, serving: Promise<NativeOutcome>) =>
  span === null
    ? serving
    : serving.then((outcome) => {
        if (typeof outcome === 'string') span.fail(outcome)
        return outcome
      })

/** Serves one request; nothing is returned if its response is written already. */
export type Dispatch = (bindings: GatewayBindings) => void | Promise<void>

/**
 * Creates the function that serves a request as `decide` selects: natively, from the core or as a page. It responds to
 * preflight requests and to OPTIONS for this server itself.
 */
export const createDispatch = (dependencies: DispatchDependencies): Dispatch => {
  const { stops } = dependencies
  const options: DecisionOptions = {
    hasCore: dependencies.hasCore,
    waitUntilFresh: dependencies.waitUntilFresh,
    isBreakerOpen: combineBreakers(stops, dependencies.routeBreaker).isOpen,
    findAccountId: createAccountFinder(dependencies.credentials),
  }
  const { routing } = dependencies

  // As soon as native has its result, since clients may disconnect from a route that takes too long. A stream has it when
  // its events have ended.
  const recordNative = (decision: NativeDecision, outcome: RequestOutcome) => {
    const { nativeMs, hasNativeFailed, status = 0 } = outcome
    if (decision.kind !== 'native' || nativeMs === null) return
    const hasCoreFailed = hasNativeFailed && status >= 500
    stops.recordNative(decision.label, hasNativeFailed, hasCoreFailed, nativeMs, decision.epoch)
  }

  const runNativeSide = (decision: NativeDecision, { request, platform }: GatewayBindings) =>
    platform.withNative(async (native, ports) => {
      const result = await inSpan('native', (span) =>
        recordFallback(span, native.serve(decision, request, ports)),
      )
      if (typeof result !== 'string') {
        if ('ended' in result) {
          // It may last long, and has read its request.
          request.releaseBody()
          await platform.sendStream(result)
          return recordNative(decision, request.outcome)
        }
        recordNative(decision, request.outcome)
        return platform.respond(result)
      }
      request.outcome.fallbackReason = result
      try {
        await platform.forward(decision.kind === 'native' ? decision.label : null)
      } finally {
        recordNative(decision, request.outcome)
      }
    })

  const runNative = (decision: NativeDecision, bindings: GatewayBindings) =>
    runInTrace(bindings.request.trace, () => runNativeSide(decision, bindings))

  const runPage = async (bindings: GatewayBindings) => {
    const { request, platform } = bindings
    const page = await dependencies.servePage(createLazyRequest(platform), bindings)
    const { path, outcome } = request
    // A path outside of `/v1` that is no page remains unmatched.
    if (page.status !== 404) outcome.page = probePaths.has(path) ? 'probe' : 'page'
    return platform.sendFetchResponse(page, page.headers.get('content-length'))
  }

  const serve = (decision: Decision, bindings: GatewayBindings) => {
    const { outcome } = bindings.request
    if (decision.kind === 'page') return runPage(bindings)
    if (decision.kind !== 'forward') return runNative(decision, bindings)
    // A disabled route is not native for now, and so does not fall back.
    if (decision.reason === 'breaker') outcome.fallbackReason = 'breaker'
    return bindings.platform.forward(decision.label)
  }

  const replayOrServe = async (decision: RowDecision, bindings: GatewayBindings) => {
    const { request, platform } = bindings
    const replay = await runInTrace(request.trace, () =>
      platform.withNative((native, ports) =>
        inSpan('find stored response', () => native.findReplay(decision, request, ports)),
      ),
    )
    if (!replay) return serve(decision, bindings)
    request.outcome.isReplayed = true
    platform.respond(replay)
  }

  const carryOut = (decision: Decision, bindings: GatewayBindings) => {
    const { request } = bindings
    request.outcome.reason = decision.reason
    request.outcome.epoch = decision.epoch
    if (mayHaveStoredResponse(decision, request)) return replayOrServe(decision, bindings)
    return serve(decision, bindings)
  }

  return (bindings) => {
    const { request, platform } = bindings
    const optionsResponse = createOptionsResponse(request, dependencies.cors)
    if (optionsResponse) return platform.respond(optionsResponse)
    const decision = decide(request, routing, options)
    if (!(decision instanceof Promise)) return carryOut(decision, bindings)
    return decision.then((decided) => carryOut(decided, bindings))
  }
}
