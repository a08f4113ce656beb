import type { Label } from '#contracts/route-table.ts'
import type { AccountOverrides } from './account-overrides.ts'
import type { FindBucket } from './bucket.ts'
import { fullWeightBp } from './route-state.ts'

export type Side = 'core' | 'native'

/**
 * Why the routing state selects a side: `static` for a state that is the same for all subjects, `split` for the bucket of
 * the subject, `targeting_match` for an override of the account, `killed` for a killed route, `stale` for a state that
 * could not be refreshed for a while or was never read.
 */
export type ViewReason = 'static' | 'split' | 'targeting_match' | 'killed' | 'stale'

/** The reason as log, metrics and spans have it: in the terms of OpenFeature, which calls a killed route `disabled`. */
export type RoutingReason = Exclude<ViewReason, 'killed'> | 'disabled'

/** The one place that translates: alerts match `disabled`. */
export const reportedReasonOf = (reason: ViewReason): RoutingReason =>
  reason === 'killed' ? 'disabled' : reason

export interface CoreView {
  readonly side: 'core'
  readonly reason: ViewReason
}

export interface NativeView {
  readonly side: 'native'
  readonly reason: ViewReason
  /** Whether the core may serve a request that native could not. */
  readonly mayFallBack: boolean
}

/** The side depends on the subject of the request. */
export interface SplitView {
  readonly side: 'split'
  /** The percentage of subjects that native serves, in basis points. */
  readonly weightBp: number
  readonly findBucket: FindBucket
  /** The accounts that one side serves whatever their bucket is, for each scope of the route, the narrowest first. */
  readonly overrides: readonly AccountOverrides[]
  /** What an override selects. */
  readonly targeted: { readonly core: CoreView; readonly native: NativeView }
  readonly core: CoreView
  readonly native: NativeView
}

export type RouteView =
  | CoreView
  | NativeView
  | SplitView
  /** Killed, and no core could serve it. */
  | { readonly side: 'unavailable'; readonly reason: 'killed' }
  /** The core should serve it, but there is no core. */
  | { readonly side: 'none'; readonly reason: ViewReason }

/** What one epoch decides for every route. Immutable: a request is decided from one view. */
export interface RoutingView {
  readonly epoch: number
  /** Whether the stored state has been read at least once. */
  readonly isKnown: boolean
  /** Whether the state could not be refreshed for a while, or is not known. */
  readonly isStale: boolean
  readonly views: ReadonlyMap<Label, RouteView>
  /** When a drill or the last override of a scope ends next, in milliseconds since the epoch of Unix; null if none ends. */
  readonly nextExpiryAt: number | null
}

const chooseByWeight = ({ weightBp, findBucket, core, native }: SplitView, subject: string | null) => {
  if (weightBp === 0) return core
  if (weightBp === fullWeightBp) return native
  return subject !== null && findBucket(subject) < weightBp ? native : core
}

const findTargeted = ({ overrides, targeted }: SplitView, accountId: string, now: () => number) => {
  for (const { byAccount } of overrides) {
    const found = byAccount.get(accountId)
    // One that has ended gives way to that of a wider scope.
    if (found && found.endsAt > now()) return targeted[found.side]
  }
  return null
}

/**
 * The side for an account; for null, a request without an account, no percentage includes it. `now` returns milliseconds since
 * the epoch of Unix.
 */
export const chooseForAccount = (
  view: SplitView,
  accountId: string | null,
  now: () => number = Date.now,
): CoreView | NativeView =>
  (accountId === null ? null : findTargeted(view, accountId, now)) ?? chooseByWeight(view, accountId)

/** The side for everyone who opens a share link, by its slug or token. */
export const chooseForLink = (view: SplitView, slugOrToken: string | null): CoreView | NativeView =>
  chooseByWeight(view, slugOrToken)
