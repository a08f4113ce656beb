import type { Label } from '#contracts/route-table.ts'
import { labels } from '#contracts/shared/row.ts'
import { areaOf, isTwoSided, type RouteScope, scopesOf } from './route-scope.ts'
import { fullWeightBp, initialStateOf, type RouteStage, type RouteState } from './route-state.ts'
import type {
  CoreView,
  NativeView,
  RouteView,
  RoutingReason,
  RoutingView,
  Side,
  SplitView,
} from './routing-view.ts'

/** An account that one side serves, as an operator has chosen it. */
export interface AccountOverride {
  readonly accountId: string
  readonly scope: RouteScope
  readonly side: Side
  /** Null: until it is removed. */
  readonly until: Date | null
}

/** A state that the settings give to a scope; it replaces the stored one. */
export interface StaticState {
  readonly scope: RouteScope
  readonly stage: RouteStage
  readonly weightBp: number
}

export interface RoutingInputs {
  /** 0 if no state is stored. */
  readonly epoch: number
  readonly isStale: boolean
  readonly states: readonly RouteState[]
  readonly overrides: readonly AccountOverride[]
  readonly staticStates: readonly StaticState[]
  /** The scopes in `GATEWAY_KILL`. */
  readonly kills: readonly RouteScope[]
  /** The routes with a handler in this build. */
  readonly handled: ReadonlySet<Label>
  readonly hasCore: boolean
  /** The same for all instances of an installation; different installations split other accounts off first. */
  readonly installationSalt: string
  /** Milliseconds since the epoch of Unix. */
  readonly now: number
}

const findNarrowest = <T extends { readonly scope: RouteScope }>(
  byScope: ReadonlyMap<RouteScope, T>,
  label: Label,
): T | undefined => {
  for (const scope of scopesOf(label)) {
    const found = byScope.get(scope)
    if (found) return found
  }
  return undefined
}

const byScope = <T extends { readonly scope: RouteScope }>(items: readonly T[]) =>
  new Map(items.map((item) => [item.scope, item]))

// Most specific last, so that the override of a label replaces those of its area and of all routes.
const sortByWidth = (overrides: readonly AccountOverride[]) =>
  overrides.toSorted((left, right) => widthOf(right.scope) - widthOf(left.scope))
const widthOf = (scope: RouteScope) => (scope === '*' ? 2 : scope.endsWith('.*') ? 1 : 0)

const disabledView: RouteView = Object.freeze({ side: 'disabled', reason: 'disabled' })
const noOverrides: ReadonlyMap<string, CoreView | NativeView> = new Map()

const createViewFactory = (inputs: RoutingInputs) => {
  const { isStale, hasCore, handled, installationSalt } = inputs
  const states = byScope(inputs.states)
  const staticStates = byScope(inputs.staticStates)
  const kills: ReadonlySet<RouteScope> = new Set(inputs.kills)
  const liveOverrides = sortByWidth(
    inputs.overrides.filter(({ until }) => until === null || until.getTime() > inputs.now),
  )

  const describeReason = (reason: RoutingReason): RoutingReason => (isStale ? 'stale' : reason)
  const toCore = (reason: RoutingReason): CoreView => Object.freeze({ side: 'core', reason })
  const toNative = (reason: RoutingReason, mayFallBack: boolean): NativeView =>
    Object.freeze({ side: 'native', reason, mayFallBack })

  const isKilled = (label: Label) =>
    scopesOf(label).some((scope) => kills.has(scope) || states.get(scope)?.killed === true)

  const findStage = (label: Label): { readonly stage: RouteStage; readonly weightBp: number } => {
    const fixed = findNarrowest(staticStates, label)
    if (fixed) return fixed
    const initial = initialStateOf(label)
    const { stage, weightBp } = states.get(label) ?? initial
    return stage === null ? initial : { stage, weightBp }
  }

  const listOverrides = (label: Label, native: NativeView): SplitView['overrides'] => {
    const scopes = scopesOf(label)
    const matching = liveOverrides.filter(({ scope }) => scopes.includes(scope))
    if (matching.length === 0) return noOverrides
    const core = toCore(describeReason('targeting_match'))
    const targeted = toNative(describeReason('targeting_match'), native.mayFallBack)
    return new Map(matching.map(({ accountId, side }) => [accountId, side === 'core' ? core : targeted]))
  }

  // Never forwarded, whatever the stored state is. Only a kill that this instance is configured with can disable it.
  const viewNativeOnly = (label: Label): RouteView =>
    scopesOf(label).some((scope) => kills.has(scope)) ? disabledView : toNative('static', false)

  return (label: Label): RouteView => {
    if (!isTwoSided(label)) return viewNativeOnly(label)
    const { stage, weightBp } = findStage(label)
    if (isKilled(label)) {
      if (hasCore) return toCore('disabled')
      return weightBp > 0 ? disabledView : Object.freeze({ side: 'none', reason: 'disabled' })
    }
    const steadyReason = describeReason('static')
    const isHandled = handled.has(label)
    // There is no other side: a share of the subjects is all of them.
    if (!hasCore)
      return isHandled && weightBp > 0
        ? toNative(steadyReason, false)
        : Object.freeze({ side: 'none', reason: steadyReason })
    if (!isHandled) return toCore(steadyReason)
    const isSteady = weightBp === 0 || weightBp === fullWeightBp
    const reason = isSteady ? steadyReason : describeReason('split')
    const core = toCore(reason)
    const native = toNative(reason, stage !== 'retired')
    if (stage === 'retired') return native
    const overrides = listOverrides(label, native)
    if (isSteady && overrides === noOverrides) return weightBp === 0 ? core : native
    const salt = `${installationSalt}\n${areaOf(label)}`
    return Object.freeze({ side: 'split', weightBp, salt, overrides, core, native })
  }
}

const findNextExpiry = ({ overrides, now }: RoutingInputs) => {
  const ends = overrides.flatMap(({ until }) =>
    until !== null && until.getTime() > now ? [until.getTime()] : [],
  )
  return ends.length === 0 ? null : Math.min(...ends)
}

/**
 * Combines everything that decides which side serves a route. A kill overrides everything, an override of an account
 * its bucket, and the settings the stored state. The core serves a two-sided route without a handler in this build.
 */
export const buildRoutingView = (inputs: RoutingInputs): RoutingView => {
  const viewOf = createViewFactory(inputs)
  return Object.freeze({
    epoch: inputs.epoch,
    isStale: inputs.isStale,
    views: new Map(labels.map((label) => [label, viewOf(label)])),
    nextExpiryAt: findNextExpiry(inputs),
  })
}
