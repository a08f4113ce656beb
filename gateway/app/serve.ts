import type { Label } from '#contracts/route-table.ts'
import { inSpan, runInTrace, type Span } from '#shared/tracing/trace.ts'
import { type Credentials, createAccountFinder } from '../pipeline/authenticate.ts'
import { mayHaveStoredResponse } from '../pipeline/idempotency/may-have-stored-response.ts'
import type { RequestContext } from '../request/context.ts'
import type { Cors } from '../request/cors.ts'
import {
  createDecisions,
  type Decision,
  type DecisionControl,
  type NativeDecision,
  type RowDecision,
} from '../request/decide.ts'
import type { GatewayBindings, NativeOutcome } from '../request/platform.ts'
import { allMethods, emptyResponse } from '../request/response.ts'
import { type Observers, settleCore, settleNative } from './observers.ts'

export interface ServeDependencies {
  readonly credentials: Credentials
  readonly control: DecisionControl
  readonly observers: Observers
  readonly cors: Cors
  readonly hasCore: boolean
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

/** Serve a request; nothing is returned if its response is written already. */
export interface Serve {
  /** One that matches a row. */
  route(label: Label, bindings: GatewayBindings): void | Promise<void>
  /** One that matches none: `raw` is what a page receives. */
  unmatched(bindings: GatewayBindings, raw: Request): void | Promise<void>
}

/** Creates the functions that serve a request as it is decided: natively, from the core, as a page or as OPTIONS. */
export const createServe = ({ control, observers, ...dependencies }: ServeDependencies): Serve => {
  const { cors, hasCore, servePage } = dependencies
  const findAccountId = createAccountFinder(dependencies.credentials)
  const { decide, decideUnmatched } = createDecisions(control, { hasCore, findAccountId })

  const forward = async (label: Label | null, { request, platform }: GatewayBindings) => {
    try {
      await platform.forward(label)
    } finally {
      settleCore(observers, request)
    }
  }

  const runNativeSide = (decision: NativeDecision, bindings: GatewayBindings) => {
    const { request, platform } = bindings
    return platform.withNative(async (native, ports) => {
      const result = await inSpan('native', (span) =>
        recordFallback(span, native.serve(decision, request, ports)),
      )
      if (typeof result === 'string') {
        settleNative(observers, request)
        request.outcome.fallbackReason = result
        return forward(decision.kind === 'native' ? decision.label : null, bindings)
      }
      if ('ended' in result) {
        // It may last long, and has read its request.
        request.releaseBody()
        await platform.sendStream(result)
        return settleNative(observers, request)
      }
      settleNative(observers, request)
      return platform.respond(result)
    })
  }

  const serve = (decision: Decision, bindings: GatewayBindings) => {
    const { trace, outcome } = bindings.request
    if (decision.kind !== 'forward') return runInTrace(trace, () => runNativeSide(decision, bindings))
    // Native is this route's side and only paused or stopped, so the core is its fallback. A killed route's side is the core.
    if (decision.reason === 'breaker') outcome.fallbackReason = 'breaker'
    return forward(decision.label, bindings)
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

  const servePageAt = async (bindings: GatewayBindings, raw: Request) => {
    const { request, platform } = bindings
    const page = await servePage(raw, bindings)
    const { path, outcome } = request
    // A path outside of `/v1` that is no page remains unmatched.
    if (page.status !== 404) outcome.page = probePaths.has(path) ? 'probe' : 'page'
    return platform.sendFetchResponse(page, page.headers.get('content-length'))
  }

  const carryOut = (decision: Decision, bindings: GatewayBindings) => {
    const { request } = bindings
    request.outcome.reason = decision.reason
    request.outcome.epoch = decision.epoch
    return mayHaveStoredResponse(decision, request)
      ? replayOrServe(decision, bindings)
      : serve(decision, bindings)
  }

  return {
    route(label, bindings) {
      const decision = decide(label, bindings.request)
      if (!(decision instanceof Promise)) return carryOut(decision, bindings)
      return decision.then((decided) => carryOut(decided, bindings))
    },

    unmatched(bindings, raw) {
      const { request, platform } = bindings
      const optionsResponse = createOptionsResponse(request, cors)
      if (optionsResponse) return platform.respond(optionsResponse)
      const decision = decideUnmatched(request)
      return decision.kind === 'page' ? servePageAt(bindings, raw) : carryOut(decision, bindings)
    },
  }
}
