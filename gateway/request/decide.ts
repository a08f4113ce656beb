import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { RouteMatch, RouteParams } from './find-route.ts'

/** How the gateway serves a request; decided before any byte of the body is read. */
export type Decision =
  /** `insteadOfNative`: the route is native, but its breaker is open. */
  | { readonly kind: 'forward'; readonly label: Label | null; readonly insteadOfNative: boolean }
  | { readonly kind: 'native'; readonly label: Label; readonly params: RouteParams }
  | { readonly kind: 'track-resource'; readonly trackId: string; readonly allow: readonly string[] | null }
  | { readonly kind: 'method-not-allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'not-implemented' }
  /** The route is disabled, and the core cannot serve it. */
  | { readonly kind: 'disabled' }
  | { readonly kind: 'page' }

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

const forward = (label: Label | null, insteadOfNative = false): Decision => ({
  kind: 'forward',
  label,
  insteadOfNative,
})

/** Decides how a request is served. Never forwards a native-only path. */
export const decide = (
  match: RouteMatch,
  path: string,
  { hasCore, isBreakerOpen, isDisabled }: DecisionOptions,
): Decision => {
  switch (match.kind) {
    case 'row': {
      const { label, params } = match
      const { runtime } = rowOf(label)
      if (runtime === 'proxy') return hasCore ? forward(label) : { kind: 'not-implemented' }
      if (isDisabled(label)) {
        return hasCore && runtime === 'native' ? forward(label) : { kind: 'disabled' }
      }
      const bypassNative = runtime === 'native' && hasCore && isBreakerOpen(label)
      return bypassNative ? forward(label, true) : { kind: 'native', label, params }
    }
    case 'track-resource':
      return match
    case 'other-method':
      return hasCore && !match.nativeOnly ? forward(null) : { kind: 'method-not-allowed', allow: match.allow }
    case 'no-row':
      if (match.nativeOnly) return { kind: 'not-implemented' }
      if (!isServicePath(path)) return { kind: 'page' }
      return hasCore ? forward(null) : { kind: 'not-implemented' }
  }
}
