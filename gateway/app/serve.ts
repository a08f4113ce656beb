import type { Label } from '#contracts/route-table.ts'
import { inSpan, runInTrace, type Span } from '#shared/tracing/trace.ts'
import { type Credentials, createTokenFinder } from '../pipeline/authenticate.ts'
import { findKey, hasStoredResponses } from '../pipeline/idempotency/identify-request.ts'
import type { FallbackReason, RequestContext } from '../request/context.ts'
import type { Cors } from '../request/cors.ts'
import {
  createDecisions,
  type Decision,
  type DecisionControl,
  type LocalDecision,
  type RowDecision,
} from '../request/decide.ts'
import type { GatewayBindings, ResponseOrFallback } from '../request/platform.ts'
import { allMethods, emptyResponse, type StreamResponse } from '../request/response.ts'
import type { RequestObserver } from '../request/route-control.ts'
import { settleCore, settleNative } from './observers.ts'

export interface ServeDependencies {
  readonly credentials: Credentials
  readonly control: DecisionControl
  readonly observers: RequestObserver
  readonly cors: Cors
  readonly hasCore: boolean
  readonly servePage: (raw: Request, env: GatewayBindings) => Response | Promise<Response>
}

const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

// RFC 9110: `OPTIONS *` (section 9.3.7) and OPTIONS with Max-Forwards 0 (section 7.6.2) address this server.
const isForThisHop = (context: RequestContext) =>
  context.path === '*' || (context.method === 'OPTIONS' && /^0+$/.test(context.header('max-forwards') ?? ''))

const createOptionsResponse = (context: RequestContext, cors: Cors) => {
  if (cors.answersPreflight(context)) return emptyResponse(204, cors.preflightHeadersFor(context))
  return isForThisHop(context) ? emptyResponse(204, { allow: allMethods }) : null
}

const mayHaveStoredResponse = (decision: Decision, request: RequestContext): decision is RowDecision =>
  request.method !== 'GET' &&
  (decision.kind === 'native' || decision.kind === 'forward') &&
  decision.label !== null &&
  hasStoredResponses(decision.label) &&
  findKey(request) !== null

const isFallback = (served: object | FallbackReason): served is FallbackReason => typeof served === 'string'

const isStream = (served: ResponseOrFallback): served is StreamResponse =>
  !isFallback(served) && 'ended' in served

const recordFallback = (span: Span | null, serving: Promise<ResponseOrFallback>) =>
  span === null
    ? serving
    : serving.then((served) => {
        if (isFallback(served)) span.fail(served)
        return served
      })

/** Both functions return undefined if the response is already written. */
export const createServe = ({ control, observers, ...dependencies }: ServeDependencies) => {
  const { cors, hasCore, servePage } = dependencies
  const findToken = createTokenFinder(dependencies.credentials)
  const { decide, decideUnmatched } = createDecisions(control, { hasCore, findToken })

  const forward = (label: Label | null, { context, platform }: GatewayBindings) => {
    // Set before the body is read, because a request with an invalid body was still meant for the core.
    context.outcome.runtime = 'proxy'
    return platform.forward(label).then(
      () => settleCore(observers, context),
      (error) => {
        settleCore(observers, context)
        throw error
      },
    )
  }

  const tryNative = (decision: LocalDecision, env: GatewayBindings) => {
    const { context, platform } = env
    return platform.withNative(async (native, ports) => {
      const served = await inSpan('native', (span) =>
        recordFallback(span, native.serve(decision, context, ports)),
      )
      if (isStream(served)) {
        // A stream may take a long time, and its request body is no longer needed.
        context.releaseBody()
        await platform.sendStream(served)
        return settleNative(observers, context)
      }
      settleNative(observers, context)
      if (!isFallback(served)) return platform.respond(served)
      context.outcome.fallbackReason = served
      return forward(decision.kind === 'native' ? decision.label : null, env)
    })
  }

  const follow = (decision: Decision, env: GatewayBindings) => {
    const { trace, outcome } = env.context
    if (decision.kind !== 'forward') return runInTrace(trace, () => tryNative(decision, env))
    // Native would serve this route but is paused or stopped, so the core is a fallback. For a killed route, the core
    // is the regular side.
    if (decision.reason === 'breaker') outcome.fallbackReason = 'breaker'
    return forward(decision.label, env)
  }

  const replayOrFollow = async (decision: RowDecision, env: GatewayBindings) => {
    const { context, platform } = env
    const replay = await runInTrace(context.trace, () =>
      platform.withNative((native, ports) =>
        inSpan('find stored response', () => native.findReplay(decision, context, ports)),
      ),
    )
    if (!replay) return follow(decision, env)
    if (isFallback(replay)) {
      context.outcome.fallbackReason = replay
      return forward(decision.label, env)
    }
    context.outcome.isReplayed = true
    platform.respond(replay)
  }

  const sendPage = async (env: GatewayBindings, raw: Request) => {
    const { context, platform } = env
    const page = await servePage(raw, env)
    // A path outside `/v1` that is not a page stays unmatched.
    if (page.status !== 404) context.outcome.page = probePaths.has(context.path) ? 'probe' : 'page'
    return platform.sendFetchResponse(page, page.headers.get('content-length'))
  }

  const recordAndFollow = (decision: Decision, env: GatewayBindings) => {
    const { context } = env
    context.outcome.reason = decision.reason
    context.outcome.epoch = decision.epoch
    return mayHaveStoredResponse(decision, context) ? replayOrFollow(decision, env) : follow(decision, env)
  }

  return {
    serveRow(label: Label, env: GatewayBindings): void | Promise<void> {
      const decision = decide(label, env.context)
      if (!(decision instanceof Promise)) return recordAndFollow(decision, env)
      return decision.then((decided) => recordAndFollow(decided, env))
    },

    serveUnmatched(env: GatewayBindings, raw: Request): void | Promise<void> {
      const { context, platform } = env
      const optionsResponse = createOptionsResponse(context, cors)
      if (optionsResponse) return platform.respond(optionsResponse)
      const decision = decideUnmatched(context)
      return decision.kind === 'page' ? sendPage(env, raw) : recordAndFollow(decision, env)
    },
  }
}
