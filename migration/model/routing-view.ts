import type { Label } from '#contracts/route-table.ts'
import type { AccountOverrides } from './account-overrides.ts'
import type { FindBucket } from './bucket.ts'
import { fullWeightBp } from './route-state.ts'

export type Side = 'core' | 'native'

/**
 * Why the routing state selects a side. `static`: the same for everyone. `split`: by the subject's bucket.
 * `targeting_match`: an account's override. `killed`: a killed route. `stale`: a state that was never read, or not
 * refreshed for a while.
 */
export type ViewReason = 'static' | 'split' | 'targeting_match' | 'killed' | 'stale'

/** The reason in logs, metrics and spans, in OpenFeature's terms: a killed route is `disabled`. */
export type RoutingReason = Exclude<ViewReason, 'killed'> | 'disabled'

/** Translates the reason for logs, metrics and spans. Alerts match `disabled`. */
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

/** The side depends on the request's subject. */
export interface SplitView {
  readonly side: 'split'
  /** Percentage of subjects served by native, in basis points. */
  readonly weightBp: number
  readonly findBucket: FindBucket
  /** Account overrides of each scope that contains the route, narrowest first. */
  readonly overrides: readonly AccountOverrides[]
  /** The view an override selects. */
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
  /** The core should serve it, but there is none. */
  | { readonly side: 'none'; readonly reason: ViewReason }

/** One epoch's decisions for every route. Immutable, so each request is decided from a single view. */
export interface RoutingView {
  readonly epoch: number
  /** Whether the stored state was ever read. */
  readonly isKnown: boolean
  /** Whether the state is unknown, or has not been refreshed for a while. */
  readonly isStale: boolean
  readonly views: ReadonlyMap<Label, RouteView>
  /** When a drill or a scope's last override ends next, in Unix milliseconds; null if none does. */
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
    // Once an override has ended, a wider scope's applies.
    if (found && found.endsAt > now()) return targeted[found.side]
  }
  return null
}

/**
 * Returns the side for an account. Null means a request without an account, which no percentage includes. `now` returns
 * Unix time in milliseconds.
 */
export const chooseForAccount = (
  view: SplitView,
  accountId: string | null,
  now: () => number = Date.now,
): CoreView | NativeView =>
  (accountId === null ? null : findTargeted(view, accountId, now)) ?? chooseByWeight(view, accountId)

/** Returns the side for everyone who opens a share link, by its slug or token. */
export const chooseForLink = (view: SplitView, slugOrToken: string | null): CoreView | NativeView =>
  chooseByWeight(view, slugOrToken)
