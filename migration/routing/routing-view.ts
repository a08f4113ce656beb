import type { Label } from '#contracts/route-table.ts'
import { bucketOf } from './bucket.ts'
import { fullWeightBp } from './route-state.ts'

export type Side = 'core' | 'native'

/**
 * Why the routing state selects a side, in the terms of OpenFeature where it has one: `static` for a state without a
 * share, `split` for the bucket of the subject, `targeting_match` for an override of the account, `disabled` for a
 * killed route, `stale` for a state that could not be refreshed for a while.
 */
export type RoutingReason = 'static' | 'split' | 'targeting_match' | 'disabled' | 'stale'

export interface CoreView {
  readonly side: 'core'
  readonly reason: RoutingReason
}

export interface NativeView {
  readonly side: 'native'
  readonly reason: RoutingReason
  /** Whether the core may serve a request that native could not. */
  readonly mayFallBack: boolean
}

/** The side depends on the subject of the request. */
export interface SplitView {
  readonly side: 'split'
  /** The share of subjects that native serves. */
  readonly weightBp: number
  readonly salt: string
  /** The accounts that one side serves whatever their bucket is. */
  readonly overrides: ReadonlyMap<string, CoreView | NativeView>
  readonly core: CoreView
  readonly native: NativeView
}

export type RouteView =
  | CoreView
  | NativeView
  | SplitView
  /** Killed, and no core could serve it. */
  | { readonly side: 'disabled'; readonly reason: 'disabled' }
  /** The core should serve it, and there is none. */
  | { readonly side: 'none'; readonly reason: RoutingReason }

/** What one epoch decides for every route. Immutable: a request is decided from one view. */
export interface RoutingView {
  readonly epoch: number
  /** Whether the state could not be refreshed for a while. */
  readonly isStale: boolean
  readonly views: ReadonlyMap<Label, RouteView>
  /** When the next override ends, in milliseconds since the epoch of Unix; null if none ends. */
  readonly nextExpiryAt: number | null
}

const chooseByWeight = ({ weightBp, salt, core, native }: SplitView, subject: string | null) => {
  if (weightBp === 0) return core
  if (weightBp === fullWeightBp) return native
  return subject !== null && bucketOf(salt, subject) < weightBp ? native : core
}

/** The side for an account; for null, a request without an account, no share includes it. */
export const chooseForAccount = (view: SplitView, accountId: string | null): CoreView | NativeView =>
  (accountId === null ? undefined : view.overrides.get(accountId)) ?? chooseByWeight(view, accountId)

/** The side for everyone who opens a share link, by its slug or token. */
export const chooseForLink = (view: SplitView, slugOrToken: string | null): CoreView | NativeView =>
  chooseByWeight(view, slugOrToken)
