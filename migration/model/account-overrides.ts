import type { RouteScope } from './route-scope.ts'
import type { Side } from './routing-view.ts'

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
  /** When the last override ends. */
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
