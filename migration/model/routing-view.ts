import type { Label } from '#contracts/route-table.ts'
import type { FindBucket } from './bucket.ts'
import type { RouteScope } from './route-scope.ts'
import { fullWeightBp } from './route-state.ts'

export interface AccountOverride {
  readonly accountId: string
  readonly scope: RouteScope
  readonly side: Side
  /** Null if the override lasts until someone removes it. */
  readonly until: Date | null
}

export interface AccountOverrides {
  /** `endsAt` is in Unix milliseconds, or infinite if the override has no end. */
  readonly byAccount: ReadonlyMap<string, { readonly side: Side; readonly endsAt: number }>
  readonly endsAt: number
}

export type OverridesByScope = ReadonlyMap<RouteScope, AccountOverrides>

/** Groups overrides by scope. All routes of a scope share one group, so a view of many overrides is built quickly. */
export const groupOverrides = (overrides: readonly AccountOverride[]): OverridesByScope => {
  const groups = new Map<
    RouteScope,
    { byAccount: Map<string, { side: Side; endsAt: number }>; endsAt: number }
  >()
  for (const { accountId, scope, side, until } of overrides) {
    const group = groups.get(scope) ?? { byAccount: new Map(), endsAt: Number.NEGATIVE_INFINITY }
    const endsAt = until?.getTime() ?? Number.POSITIVE_INFINITY
    group.byAccount.set(accountId, { side, endsAt })
    group.endsAt = Math.max(group.endsAt, endsAt)
    groups.set(scope, group)
  }
  return groups
}

export type Side = 'core' | 'native'

/**
 * Why the routing state selects a side, in OpenFeature's terms, which logs, metrics and spans report. `static`: it is
 * the same for everyone. `split`: the subject's bucket decides. `targeting_match`: an account's override decides.
 * `disabled`: the route is killed. `stale`: the state has never been read, or has not been refreshed for a while.
 */
export type ViewReason = 'static' | 'split' | 'targeting_match' | 'disabled' | 'stale'

export interface CoreView {
  readonly side: 'core'
  readonly reason: ViewReason
}

export interface NativeView {
  readonly side: 'native'
  readonly reason: ViewReason
  readonly mayFallBack: boolean
}

export interface SplitView {
  readonly side: 'split'
  readonly weightBp: number
  readonly findBucket: FindBucket
  /** Account overrides of each scope that contains the route, narrowest first. */
  readonly overrides: readonly AccountOverrides[]
  readonly targeted: { readonly core: CoreView; readonly native: NativeView }
  readonly core: CoreView
  readonly native: NativeView
}

export type RouteView =
  | CoreView
  | NativeView
  | SplitView
  /** The route is killed, and there is no core to serve it. */
  | { readonly side: 'unavailable'; readonly reason: 'disabled' }
  /** The core should serve it, but there is none. */
  | { readonly side: 'none'; readonly reason: ViewReason }

/** One epoch's decisions for every route. Immutable, so that each request is decided by a single view. */
export interface RoutingView {
  readonly epoch: number
  readonly isKnown: boolean
  /** Whether the state is unknown, or has not been refreshed for a while. */
  readonly isStale: boolean
  readonly views: ReadonlyMap<Label, RouteView>
  /**
   * When the next drill ends or, if earlier, when the next scope is left without overrides, in Unix milliseconds; null
   * if neither will happen.
   */
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
    // Once an override has ended, a wider scope's override applies.
    if (found && found.endsAt > now()) return targeted[found.side]
  }
  return null
}

/** Null stands for a request without an account, which a partial percentage never includes. */
export const chooseForAccount = (
  view: SplitView,
  accountId: string | null,
  now: () => number = Date.now,
): CoreView | NativeView =>
  (accountId === null ? null : findTargeted(view, accountId, now)) ?? chooseByWeight(view, accountId)

export const chooseForLink = (view: SplitView, slugOrToken: string | null): CoreView | NativeView =>
  chooseByWeight(view, slugOrToken)
