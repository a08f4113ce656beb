import type { Label } from '#contracts/route-table.ts'
import { type Row, rowOf } from '#contracts/shared/row.ts'
import { isDecidedByLink } from '#migration/routing/route-scope.ts'
import { chooseForAccount, chooseForLink, type RouteView } from '#migration/routing/routing-view.ts'
import type { RequestContext } from './context.ts'
import type { RouteMatch, RouteParams } from './find-route.ts'
import type { Reason } from './reasons.ts'
import type { RoutingPort } from './routing-port.ts'

/**
 * How the gateway serves a request, and why; decided before any byte of the body is read, and from one epoch of the
 * routing state.
 */
export type Decision = { readonly reason: Reason; readonly epoch: number } & (
  | { readonly kind: 'forward'; readonly label: Label | null }
  | {
      readonly kind: 'native'
      readonly label: Label
      readonly params: RouteParams
      /** Whether the core may serve the request if native cannot. */
      readonly mayFallBack: boolean
    }
  | { readonly kind: 'track-resource'; readonly trackId: string; readonly allow: readonly string[] | null }
  | { readonly kind: 'method-not-allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'not-implemented' }
  /** The route is disabled, and the core cannot serve it. */
  | { readonly kind: 'disabled' }
  | { readonly kind: 'page' }
)

/** A decision about a request of a row. */
export type RowDecision = Extract<Decision, { kind: 'native' | 'forward' }> & { readonly label: Label }

/** The decisions that native code carries out. */
export type NativeDecision = Exclude<Decision, { kind: 'forward' | 'page' }>

const isServicePath = (path: string) => path === '/v1' || path.startsWith('/v1/')

export interface DecisionOptions {
  readonly hasCore: boolean
  /** Null if the routing state is as new as it has to be for native; otherwise what a request waits for. */
  readonly waitUntilFresh: () => Promise<void> | null
  /** Whether the breaker of a native route is open: too many recent requests fell back. */
  readonly isBreakerOpen: (label: Label) => boolean
  /** The account that sends a request; null if there is none. A promise only if its token has to be verified first. */
  readonly findAccountId: (row: Row, request: RequestContext) => string | null | Promise<string | null>
}

type CurrentRouting = Pick<RoutingPort, 'current'>
type MatchedRow = Extract<RouteMatch, { kind: 'row' }>

const decideForSide = (
  { label, params }: MatchedRow,
  view: Exclude<RouteView, { side: 'split' }>,
  epoch: number,
  { isBreakerOpen }: DecisionOptions,
): Decision => {
  const { reason } = view
  switch (view.side) {
    case 'core':
      return { kind: 'forward', label, reason, epoch }
    case 'native':
      return view.mayFallBack && isBreakerOpen(label)
        ? { kind: 'forward', label, reason: 'breaker', epoch }
        : { kind: 'native', label, params, mayFallBack: view.mayFallBack, reason, epoch }
    case 'disabled':
      return { kind: 'disabled', reason, epoch }
    case 'none':
      return { kind: 'not-implemented', reason, epoch }
  }
}

const unknownRoute: RouteView = { side: 'none', reason: 'static' }

const decideForAccount = (
  match: MatchedRow,
  accountId: string | null,
  view: RouteView,
  epoch: number,
  options: DecisionOptions,
): Decision => {
  const side = view.side === 'split' ? chooseForAccount(view, accountId) : view
  return decideForSide(match, side, epoch, options)
}

const decideFromView = (
  match: MatchedRow,
  request: RequestContext,
  routing: CurrentRouting,
  options: DecisionOptions,
): Decision | Promise<Decision> => {
  const { views, epoch } = routing.current()
  const view = views.get(match.label) ?? unknownRoute
  if (view.side !== 'split') return decideForSide(match, view, epoch, options)
  if (isDecidedByLink(match.label)) {
    const side = chooseForLink(view, match.params.slug ?? match.params.token ?? null)
    return decideForSide(match, side, epoch, options)
  }
  const accountId = options.findAccountId(rowOf(match.label), request)
  if (!(accountId instanceof Promise)) return decideForAccount(match, accountId, view, epoch, options)
  return accountId.then(async (verified) => {
    // Verifying a token may take seconds, in which the route may be killed.
    await options.waitUntilFresh()
    const adopted = routing.current()
    return decideForAccount(
      match,
      verified,
      adopted.views.get(match.label) ?? unknownRoute,
      adopted.epoch,
      options,
    )
  })
}

const decideForRow = (
  match: MatchedRow,
  request: RequestContext,
  routing: CurrentRouting,
  options: DecisionOptions,
): Decision | Promise<Decision> => {
  const { side } = routing.current().views.get(match.label) ?? unknownRoute
  const waiting = side === 'native' || side === 'split' ? options.waitUntilFresh() : null
  if (waiting === null) return decideFromView(match, request, routing, options)
  return waiting.then(() => decideFromView(match, request, routing, options))
}

/**
 * Decides how a request is served. Never forwards a native-only path. A promise only if the side depends on an account
 * whose token has not been verified recently, or if the state has to be read first; it then uses the state of when that is
 * done.
 */
export const decide = (
  request: RequestContext,
  routing: CurrentRouting,
  options: DecisionOptions,
): Decision | Promise<Decision> => {
  const { match, path } = request
  const { hasCore } = options
  const { epoch } = routing.current()
  const reason = 'static'
  switch (match.kind) {
    case 'row':
      return decideForRow(match, request, routing, options)
    case 'track-resource':
      return { ...match, reason, epoch }
    case 'other-method':
      return hasCore && !match.nativeOnly
        ? { kind: 'forward', label: null, reason, epoch }
        : { kind: 'method-not-allowed', allow: match.allow, reason, epoch }
    case 'no-row':
      if (match.nativeOnly) return { kind: 'not-implemented', reason, epoch }
      if (!isServicePath(path)) return { kind: 'page', reason, epoch }
      return hasCore
        ? { kind: 'forward', label: null, reason, epoch }
        : { kind: 'not-implemented', reason, epoch }
  }
}
