import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { createBucketFinder, type FindBucket } from './bucket.ts'
import { areaOf, type RouteScope, scopesOf } from './route-scope.ts'
import {
  findKiller,
  fullWeightBp,
  hasDrillEnded,
  initialStateOf,
  isDrill,
  type RouteStage,
  type RouteState,
} from './route-state.ts'
import type {
  AccountOverrides,
  CoreView,
  NativeView,
  OverridesByScope,
  RouteView,
  RoutingView,
  ViewReason,
} from './routing-view.ts'

/** A state that the settings give a scope. It replaces the stored one. */
export interface StaticState {
  readonly scope: RouteScope
  readonly stage: RouteStage
  readonly weightBp: number
}

export type ViewedState = Pick<RouteState, 'scope' | 'stage' | 'weightBp' | 'killed' | 'drillUntil'>

export interface RoutingInputs {
  readonly epoch: number
  /** Whether the stored state has ever been read. Until it has, any route might be killed. */
  readonly isKnown: boolean
  readonly isStale: boolean
  readonly states: readonly ViewedState[]
  readonly overrides: OverridesByScope
  readonly staticStates: readonly StaticState[]
  /** The scopes in `GATEWAY_KILL`. */
  readonly kills: readonly RouteScope[]
  readonly handled: Pick<ReadonlySet<Label>, 'has'>
  readonly hasCore: boolean
  readonly installationSalt: string
  /** Unix time in milliseconds. */
  readonly now: number
}

export const findNarrowest = <T extends { readonly scope: string }>(
  items: readonly T[],
  label: Label,
): T | undefined =>
  scopesOf(label)
    .map((scope) => items.findLast((item) => item.scope === scope))
    .find((item) => item !== undefined)

export type RouteDecision = { readonly view: RouteView } & (
  | {
      readonly rule: 'native-only' | 'state-unknown' | 'no-handler' | 'no-core' | 'retired' | 'percentage'
    }
  /** `killer` is the narrowest scope with a kill in the settings or in the stored state. */
  | { readonly rule: 'killed-by-settings' | 'killed'; readonly killer: RouteScope }
)

const unavailableView: RouteView = Object.freeze({ side: 'unavailable', reason: 'disabled' })

/** Returns a function that decides which side serves a route. The order of precedence is defined here. */
export const createRouteDecider = (inputs: Omit<RoutingInputs, 'epoch'>) => {
  const { isKnown, isStale, hasCore, handled, installationSalt } = inputs
  const states = new Map(inputs.states.map((state) => [state.scope, state]))
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
  const toNone = (reason: ViewReason): RouteView => Object.freeze({ side: 'none', reason })

  const findStage = (label: Label): { readonly stage: RouteStage; readonly weightBp: number } => {
    const fixed = findNarrowest(inputs.staticStates, label)
    if (fixed) return fixed
    const initial = initialStateOf(label)
    const state = states.get(label) ?? initial
    const { stage, weightBp } = state
    if (stage === null) return initial
    return { stage: hasDrillEnded(state, inputs.now) ? 'native' : stage, weightBp }
  }

  // A native-only route is never forwarded, so its stored state does not matter.
  const findKill = (label: Label) => {
    const fixed = scopesOf(label).find((scope) => inputs.kills.includes(scope))
    if (fixed !== undefined) return { rule: 'killed-by-settings', killer: fixed } as const
    const killer = isTwoSided(label) ? findKiller(label, states) : null
    return killer === null ? null : ({ rule: 'killed', killer } as const)
  }

  const viewKilled = (label: Label): RouteView => {
    if (!isTwoSided(label)) return unavailableView
    if (hasCore) return toCore('disabled')
    return findStage(label).weightBp > 0 ? unavailableView : toNone('disabled')
  }

  const viewPercentage = (label: Label, weightBp: number): RouteView => {
    const isSteady = weightBp === 0 || weightBp === fullWeightBp
    const reason = describeReason(isSteady ? 'static' : 'split')
    const core = toCore(reason)
    const native = toNative(reason, true)
    const overrides = scopesOf(label)
      .map((scope) => inputs.overrides.get(scope))
      .filter(isLive)
    if (isSteady && overrides.length === 0) return weightBp === 0 ? core : native
    const findBucket = findBucketIn(areaOf(label))
    const matched = describeReason('targeting_match')
    const targeted = Object.freeze({ core: toCore(matched), native: toNative(matched, true) })
    return Object.freeze({ side: 'split', weightBp, findBucket, overrides, targeted, core, native })
  }

  return (label: Label): RouteDecision => {
    const kill = findKill(label)
    if (kill) return { ...kill, view: viewKilled(label) }
    if (!isTwoSided(label)) return { rule: 'native-only', view: toNative('static', false) }
    if (hasCore && !isKnown) return { rule: 'state-unknown', view: toCore('stale') }
    const { stage, weightBp } = findStage(label)
    const reason = describeReason('static')
    if (!handled.has(label)) {
      const isForwarded = hasCore && stage !== 'retired'
      return { rule: 'no-handler', view: isForwarded ? toCore(reason) : toNone(reason) }
    }
    // Without a core there is no other side, so any percentage above zero means everyone.
    if (!hasCore) return { rule: 'no-core', view: weightBp > 0 ? toNative(reason, false) : toNone(reason) }
    return stage === 'retired'
      ? { rule: 'retired', view: toNative(reason, false) }
      : { rule: 'percentage', view: viewPercentage(label, weightBp) }
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

export const buildRoutingView = (inputs: RoutingInputs): RoutingView => {
  const decide = createRouteDecider(inputs)
  return Object.freeze({
    epoch: inputs.epoch,
    isKnown: inputs.isKnown,
    isStale: inputs.isStale,
    views: new Map(labels.map((label) => [label, decide(label).view])),
    nextExpiryAt: findNextExpiry(inputs),
  })
}
