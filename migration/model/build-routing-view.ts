import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import type { AccountOverrides, OverridesByScope } from './account-overrides.ts'
import { createBucketFinder, type FindBucket } from './bucket.ts'
import { areaOf, type RouteScope, scopesOf } from './route-scope.ts'
import {
  fullWeightBp,
  hasDrillEnded,
  initialStateOf,
  isDrill,
  type RouteStage,
  type RouteState,
} from './route-state.ts'
import type { CoreView, NativeView, RouteView, RoutingView, SplitView, ViewReason } from './routing-view.ts'

/** A state that the settings give a scope. It replaces the stored one. */
export interface StaticState {
  readonly scope: RouteScope
  readonly stage: RouteStage
  readonly weightBp: number
}

export type ViewedState = Pick<RouteState, 'scope' | 'stage' | 'weightBp' | 'killed' | 'drillUntil'>

export interface RoutingInputs {
  /** 0 if no state is stored. */
  readonly epoch: number
  /** Whether the stored state has ever been read. Until it has, any route might be killed. */
  readonly isKnown: boolean
  readonly isStale: boolean
  readonly states: readonly ViewedState[]
  readonly overrides: OverridesByScope
  readonly staticStates: readonly StaticState[]
  /** The scopes in `GATEWAY_KILL`. */
  readonly kills: readonly RouteScope[]
  /** Routes with a handler in this build. */
  readonly handled: ReadonlySet<Label>
  readonly hasCore: boolean
  /** The same on all instances of an installation. */
  readonly installationSalt: string
  /** Unix time in milliseconds. */
  readonly now: number
}

/** Returns the item of the narrowest scope that contains a route. */
export const findNarrowest = <T extends { readonly scope: RouteScope }>(
  items: readonly T[],
  label: Label,
): T | undefined =>
  scopesOf(label)
    .map((scope) => items.findLast((item) => item.scope === scope))
    .find((item) => item !== undefined)

const unavailableView: RouteView = Object.freeze({ side: 'unavailable', reason: 'disabled' })

/**
 * Returns a function that computes a route's view. The order of precedence is defined here, and `explain-side.ts` puts
 * it into words.
 */
export const createViewFactory = (inputs: Omit<RoutingInputs, 'epoch'>) => {
  const { isKnown, isStale, hasCore, handled, installationSalt } = inputs
  const states = new Map(inputs.states.map((state) => [state.scope, state]))
  const kills: ReadonlySet<RouteScope> = new Set(inputs.kills)
  const isLive = (overrides: AccountOverrides | undefined): overrides is AccountOverrides =>
    overrides !== undefined && overrides.endsAt > inputs.now

  const finders = new Map<string, FindBucket>()
  const findBucketIn = (area: string) => {
    const known = finders.get(area)
    if (known) return known
    const added = createBucketFinder(installationSalt, area)
    finders.set(area, added)
    return added
  }

  const describeReason = (reason: ViewReason): ViewReason => (isStale ? 'stale' : reason)
  const toCore = (reason: ViewReason): CoreView => Object.freeze({ side: 'core', reason })
  const toNative = (reason: ViewReason, mayFallBack: boolean): NativeView =>
    Object.freeze({ side: 'native', reason, mayFallBack })

  const isKilled = (label: Label) =>
    scopesOf(label).some((scope) => kills.has(scope) || states.get(scope)?.killed === true)

  const findStage = (label: Label): { readonly stage: RouteStage; readonly weightBp: number } => {
    const fixed = findNarrowest(inputs.staticStates, label)
    if (fixed) return fixed
    const initial = initialStateOf(label)
    const state = states.get(label) ?? initial
    const { stage, weightBp } = state
    if (stage === null) return initial
    return { stage: hasDrillEnded(state, inputs.now) ? 'native' : stage, weightBp }
  }

  const listOverrides = (label: Label): SplitView['overrides'] =>
    scopesOf(label)
      .map((scope) => inputs.overrides.get(scope))
      .filter(isLive)

  const viewTargeted = ({ mayFallBack }: NativeView): SplitView['targeted'] => {
    const reason = describeReason('targeting_match')
    return Object.freeze({ core: toCore(reason), native: toNative(reason, mayFallBack) })
  }

  // A native-only route is never forwarded, and its stored state does not matter. Only a kill in this instance's
  // settings stops it.
  const viewNativeOnly = (label: Label): RouteView =>
    scopesOf(label).some((scope) => kills.has(scope)) ? unavailableView : toNative('static', false)

  return (label: Label): RouteView => {
    if (!isTwoSided(label)) return viewNativeOnly(label)
    const { stage, weightBp } = findStage(label)
    if (isKilled(label)) {
      if (hasCore) return toCore('disabled')
      return weightBp > 0 ? unavailableView : Object.freeze({ side: 'none', reason: 'disabled' })
    }
    if (hasCore && !isKnown) return toCore('stale')
    const steadyReason = describeReason('static')
    const isHandled = handled.has(label)
    // Without a core there is no other side, so any percentage above zero means everyone.
    if (!hasCore)
      return isHandled && weightBp > 0
        ? toNative(steadyReason, false)
        : Object.freeze({ side: 'none', reason: steadyReason })
    if (!isHandled)
      return stage === 'retired'
        ? Object.freeze({ side: 'none', reason: steadyReason })
        : toCore(steadyReason)
    const isSteady = weightBp === 0 || weightBp === fullWeightBp
    const reason = isSteady ? steadyReason : describeReason('split')
    const core = toCore(reason)
    const native = toNative(reason, stage !== 'retired')
    if (stage === 'retired') return native
    const overrides = listOverrides(label)
    if (isSteady && overrides.length === 0) return weightBp === 0 ? core : native
    const findBucket = findBucketIn(areaOf(label))
    const targeted = viewTargeted(native)
    return Object.freeze({ side: 'split', weightBp, findBucket, overrides, targeted, core, native })
  }
}

const findNextExpiry = ({ overrides, states, now }: RoutingInputs) => {
  const ends = [
    ...[...overrides.values()].map(({ endsAt }) => endsAt),
    ...states.filter(isDrill).map(({ drillUntil }) => Date.parse(drillUntil ?? '')),
  ]
  const next = Math.min(...ends.filter((end) => end > now))
  return Number.isFinite(next) ? next : null
}

/**
 * Combines everything that decides which side serves a route. A kill beats everything, an account's override beats its
 * bucket, and settings beat the stored state. Until the stored state is known, the core serves every two-sided route.
 * After that, it serves those without a handler in this build, unless they are retired.
 */
export const buildRoutingView = (inputs: RoutingInputs): RoutingView => {
  const viewOf = createViewFactory(inputs)
  return Object.freeze({
    epoch: inputs.epoch,
    isKnown: inputs.isKnown,
    isStale: inputs.isStale,
    views: new Map(labels.map((label) => [label, viewOf(label)])),
    nextExpiryAt: findNextExpiry(inputs),
  })
}
