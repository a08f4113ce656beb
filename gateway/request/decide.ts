import type { Label } from '#contracts/route-table.ts'
import { isDecidedByLink, type Row, rowOf } from '#contracts/shared/row.ts'
import { chooseForAccount, chooseForLink, type RouteView } from '#migration/model/routing-view.ts'
import type { Reason, RequestContext, VerifiedToken } from './context.ts'
import { isPreflight } from './cors.ts'
import type { RouteControl } from './route-control.ts'
import { describeUnmatched, isNativeOnly } from './unmatched.ts'

interface Reasoned {
  readonly reason: Reason
  readonly epoch: number
}

export interface NativeDecision extends Reasoned {
  readonly kind: 'native'
  readonly label: Label
  readonly mayFallBack: boolean
}

interface ForwardDecision extends Reasoned {
  readonly kind: 'forward'
  readonly label: Label | null
}

/** On a path below a track, the track's owner is checked before the error is chosen. */
export type Rejection = Reasoned &
  (
    | { readonly kind: 'track-resource'; readonly trackId: string; readonly allow: readonly string[] | null }
    | { readonly kind: 'method-not-allowed'; readonly allow: readonly string[] }
    | { readonly kind: 'not-implemented' }
    /** The route is killed and the core cannot serve it. */
    | { readonly kind: 'unavailable' }
  )

export type RowDecision = (NativeDecision | ForwardDecision) & { readonly label: Label }

export type LocalDecision = NativeDecision | Rejection

/** How and why the gateway serves a request. Made before the body is read, from one epoch of the routing state. */
export type Decision = LocalDecision | ForwardDecision

interface DecisionOptions {
  readonly hasCore: boolean
  /** Returns a promise only if the token must be verified first. */
  readonly findToken: (
    row: Row,
    context: RequestContext,
  ) => VerifiedToken | null | Promise<VerifiedToken | null>
}

export type DecisionControl = Pick<RouteControl, 'current' | 'refreshed' | 'mayTryNative'>

const unknownRoute: RouteView = { side: 'none', reason: 'static' }

/** Creates the functions that decide how to serve a request. They never forward a native-only path. */
export const createDecisions = (control: DecisionControl, { hasCore, findToken }: DecisionOptions) => {
  const viewOf = (label: Label) => control.current().views.get(label) ?? unknownRoute

  const decideForSide = (label: Label, view: Exclude<RouteView, { side: 'split' }>): Decision => {
    const { reason } = view
    const { epoch } = control.current()
    switch (view.side) {
      case 'core':
        return { kind: 'forward', label, reason, epoch }
      case 'native':
        // The guard may have paused or stopped native. In logs and metrics, `breaker` means this, not the core's
        // circuit breaker.
        return view.mayFallBack && !control.mayTryNative(label)
          ? { kind: 'forward', label, reason: 'breaker', epoch }
          : { kind: 'native', label, mayFallBack: view.mayFallBack, reason, epoch }
      case 'unavailable':
        return { kind: 'unavailable', reason, epoch }
      case 'none':
        return { kind: 'not-implemented', reason, epoch }
    }
  }

  const decideForToken = (label: Label, context: RequestContext, token: VerifiedToken | null) => {
    // Kept, so native need not verify the token again.
    context.verifiedToken = token
    const view = viewOf(label)
    const accountId = token?.actor.accountId ?? null
    return decideForSide(label, view.side === 'split' ? chooseForAccount(view, accountId) : view)
  }

  const decideFromView = (label: Label, context: RequestContext): Decision | Promise<Decision> => {
    const view = viewOf(label)
    if (view.side !== 'split') return decideForSide(label, view)
    if (isDecidedByLink(label)) {
      const { slug, token = null } = context.params
      return decideForSide(label, chooseForLink(view, slug ?? token))
    }
    const token = findToken(rowOf(label), context)
    if (!(token instanceof Promise)) return decideForToken(label, context, token)
    return token.then(async (verified) => {
      // Verifying a token may take seconds, and the route may be killed meanwhile.
      await control.refreshed()
      return decideForToken(label, context, verified)
    })
  }

  return {
    /**
     * Returns a promise only if the side depends on an account whose token was not verified recently, or if the state
     * must be read first. The state after that wait decides.
     */
    decide(label: Label, context: RequestContext): Decision | Promise<Decision> {
      const { side } = viewOf(label)
      const waiting = side === 'native' || side === 'split' ? control.refreshed() : undefined
      if (waiting === undefined) return decideFromView(label, context)
      return waiting.then(() => decideFromView(label, context))
    },

    decideUnmatched(
      request: Pick<RequestContext, 'method' | 'path' | 'header'>,
    ): Decision | (Reasoned & { readonly kind: 'page' }) {
      const { path } = request
      const decided = { reason: 'static', epoch: control.current().epoch } as const
      if (path !== '/v1' && !path.startsWith('/v1/') && !isNativeOnly(path))
        return { ...decided, kind: 'page' }
      const unmatched = describeUnmatched(path)
      if (unmatched.kind === 'track-resource') {
        // The gateway has no allowed origins, or it would have answered the preflight itself. So the core decides.
        return hasCore && isPreflight(request)
          ? { ...decided, kind: 'forward', label: null }
          : { ...decided, ...unmatched }
      }
      if (hasCore && !unmatched.nativeOnly) return { ...decided, kind: 'forward', label: null }
      return unmatched.kind === 'other-method'
        ? { ...decided, kind: 'method-not-allowed', allow: unmatched.allow }
        : { ...decided, kind: 'not-implemented' }
    },
  }
}
