import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { RouteMatch, RouteParams } from './find-route.ts'
import type { Reason } from './reasons.ts'

/** How the gateway serves a request, and why; decided before any byte of the body is read. */
export type Decision = { readonly reason: Reason } & (
  | { readonly kind: 'forward'; readonly label: Label | null }
  | { readonly kind: 'native'; readonly label: Label; readonly params: RouteParams }
  | { readonly kind: 'track-resource'; readonly trackId: string; readonly allow: readonly string[] | null }
  | { readonly kind: 'method-not-allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'not-implemented' }
  /** The route is disabled, and the core cannot serve it. */
  | { readonly kind: 'disabled' }
  | { readonly kind: 'page' }
)

/** The decisions that native code carries out. */
export type NativeDecision = Exclude<Decision, { kind: 'forward' | 'page' }>

const isServicePath = (path: string) => path === '/v1' || path.startsWith('/v1/')

export interface DecisionOptions {
  readonly hasCore: boolean
  /** Whether the breaker of a native route is open: too many recent requests fell back. */
  readonly isBreakerOpen: (label: Label) => boolean
  /** Whether the native implementation of a route is disabled. */
  readonly isDisabled: (label: Label) => boolean
}

const forward = (label: Label | null, reason: Reason): Decision => ({ kind: 'forward', label, reason })
const reject = (kind: 'not-implemented' | 'disabled', reason: Reason): Decision => ({ kind, reason })

type MatchedRow = Extract<RouteMatch, { kind: 'row' }>

const decideForRow = (
  { label, params }: MatchedRow,
  { hasCore, isBreakerOpen, isDisabled }: DecisionOptions,
): Decision => {
  const { runtime } = rowOf(label)
  const reason = isDisabled(label) ? 'disabled' : 'static'
  if (runtime === 'proxy') return hasCore ? forward(label, reason) : reject('not-implemented', reason)
  const canForward = runtime === 'native' && hasCore
  if (reason === 'disabled') return canForward ? forward(label, reason) : reject('disabled', reason)
  if (canForward && isBreakerOpen(label)) return forward(label, 'breaker')
  return { kind: 'native', label, params, reason }
}

/** Decides how a request is served. Never forwards a native-only path. */
export const decide = (match: RouteMatch, path: string, options: DecisionOptions): Decision => {
  const { hasCore } = options
  const reason = 'static'
  switch (match.kind) {
    case 'row':
      return decideForRow(match, options)
    case 'track-resource':
      return { ...match, reason }
    case 'other-method':
      return hasCore && !match.nativeOnly
        ? forward(null, reason)
        : { kind: 'method-not-allowed', allow: match.allow, reason }
    case 'no-row':
      if (match.nativeOnly) return reject('not-implemented', reason)
      if (!isServicePath(path)) return { kind: 'page', reason }
      return hasCore ? forward(null, reason) : reject('not-implemented', reason)
  }
}
