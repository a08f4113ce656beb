import { ApiError, type ErrorCode } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { describeError, type Log, logRequest } from '../observability/log.ts'
import type { RequestContext } from '../request/context.ts'
import type { Decision } from '../request/decide.ts'
import { allMethods, emptyResponse, errorResponse, type GatewayResponse } from '../request/response.ts'
import type { ComposedGateway } from './compose-gateway.ts'
import type { Gateway } from './create-app.ts'

/** What a decision leaves to the gateway itself. */
type OwnDecision = Exclude<Decision, { kind: 'forward' }>

/** What a platform does with one request; `T` is how it hands an answer over. */
export interface Platform<T> {
  respond(answer: GatewayResponse): T
  forward(label: Label | null): Promise<T>
  /** Gives the request to the gateway; `fallBack` sends it to the core after native could not serve it. */
  dispatch(decision: OwnDecision, fallBack: () => Promise<T>): Promise<T>
}

// RFC 9110 section 7.6.2: OPTIONS may say that it goes no further, and is then answered for the hop it has reached.
const isForThisHop = ({ method, path, header }: RequestContext) =>
  path === '*' || (method === 'OPTIONS' && /^0+$/.test(header('max-forwards') ?? ''))

/**
 * Carries a request through the gateway by its decision, alike on every platform. What fails before anything is
 * waited for is thrown at once.
 */
export const carryExchange = <T>(
  gateway: Gateway,
  exchange: RequestContext,
  platform: Platform<T>,
): T | Promise<T> => {
  const immediate =
    gateway.preflight(exchange) ?? (isForThisHop(exchange) ? emptyResponse(204, { allow: allMethods }) : null)
  if (immediate) return platform.respond(immediate)
  const decision = gateway.decide(exchange)
  if (decision.kind === 'forward') {
    exchange.outcome.fallback = decision.insteadOfNative
    return platform.forward(decision.label)
  }
  return platform.dispatch(decision, () => {
    exchange.outcome.fallback = true
    return platform.forward(decision.kind === 'native' ? decision.label : null)
  })
}

/** What a client is told of an error that no answer came of; what is no refusal of ours is written down. */
export const answerOfFault = (
  error: unknown,
  { requestId, outcome }: RequestContext,
  log: Log,
): GatewayResponse => {
  const refusal = error instanceof ApiError ? error : new ApiError('internal_error')
  if (refusal !== error) log.error({ requestId, failure: describeError(error) }, 'gateway failed')
  outcome.error = refusal.code
  return errorResponse(refusal)
}

/** Counts and logs an exchange that is over; `startedAt` is of `performance.now()`. */
export const recordExchange = (
  { metrics, log }: Pick<ComposedGateway, 'metrics' | 'log'>,
  exchange: RequestContext,
  status: number,
  startedAt: number,
) => {
  metrics.observe(exchange.outcome, status, (performance.now() - startedAt) / 1000)
  logRequest(log, exchange, status, startedAt)
}

/** Counts and logs a request that was refused before it became an exchange. */
export const recordRefusal = (
  { metrics, log }: Pick<ComposedGateway, 'metrics' | 'log'>,
  error: ErrorCode,
  status: number,
) => {
  const outcome = { label: 'unmatched', runtime: 'native', fallback: false, error } as const
  metrics.observe(outcome, status, 0)
  log.info({ route: outcome.label, runtime: outcome.runtime, status, error }, 'request refused')
}
