import type { Label } from '#contracts/route-table.ts'
import { isDecidedByLink, isTwoSided } from '#contracts/shared/row.ts'
import type { AccountOverride } from './account-overrides.ts'
import { bucketOf } from './bucket.ts'
import { findNarrowest, type StaticState } from './build-routing-view.ts'
import { formatWeight } from './format-state.ts'
import { formatMinute } from './gate/format-quantity.ts'
import { areaOf, type RouteScope, scopesOf } from './route-scope.ts'
import { findKiller, fullWeightBp, type RouteState } from './route-state.ts'

/** Everything that one instance's routing decisions depend on. */
export interface ExplainedInstance {
  /** The states that this instance has adopted; empty until it has read them. */
  readonly states: ReadonlyMap<RouteScope, RouteState>
  readonly isKnown: boolean
  /** Scopes whose stored state this version of Crossfade cannot read. */
  readonly unreadable: readonly string[]
  /** The scopes in `GATEWAY_KILL`. */
  readonly configuredKills: readonly RouteScope[]
  readonly staticStates: readonly StaticState[]
  readonly hasCore: boolean
  readonly hasHandler: (label: Label) => boolean
  /** Returns the key of the code that would serve a route natively; undefined if there is no such code. */
  readonly findEvidenceKey: (label: Label) => string | undefined
  /** Returns the settings that native lacks for a route; undefined if none are missing. */
  readonly findMissingSettings: (label: Label) => string | undefined
  /**
   * Returns why this instance does not try native now, although the route's state selects it; null if nothing prevents
   * it.
   */
  readonly findStop: (label: Label) => 'stopped' | 'paused' | null
  readonly installationSalt: string
}

export interface ExplainedRoute extends ExplainedInstance {
  readonly label: Label
  readonly overrides: readonly AccountOverride[]
  /** If null, explains the route for all accounts. */
  readonly account: string | null
  /** A share link's slug or token. If null, explains the route for all links. */
  readonly link: string | null
  readonly now: Date
}

export interface ExplainedSide {
  /**
   * `split`: depends on the account or link. `unavailable`: the route is killed and there is no core to serve it (503).
   * `none`: the core should serve it, but there is none (501).
   */
  readonly side: 'core' | 'native' | 'split' | 'unavailable' | 'none'
  readonly bucket: number | null
  /** What keeps native from serving, whatever the route's state: a kill, or a stop or pause on this instance. */
  readonly inForce: readonly string[]
  readonly why: readonly string[]
}

/** The state in effect on the instance: the one from its settings or, if they set none, the stored one. */
export type EffectiveState = Pick<StaticState, 'stage' | 'weightBp'> & Pick<RouteState, 'drillUntil'>

const decide = (side: ExplainedSide['side'], ...why: readonly string[]): ExplainedSide => ({
  side,
  bucket: null,
  inForce: [],
  why,
})

const prevent = (side: ExplainedSide['side'], sentence: string): ExplainedSide => ({
  ...decide(side),
  inForce: [sentence],
})

const isLive = ({ until }: AccountOverride, now: Date) => until === null || until > now

const listOverrides = ({ label, overrides, now }: ExplainedRoute) =>
  isDecidedByLink(label)
    ? []
    : overrides.filter((override) => scopesOf(label).includes(override.scope) && isLive(override, now))

const findOverride = (route: ExplainedRoute) =>
  findNarrowest(
    listOverrides(route).filter(({ accountId }) => accountId === route.account),
    route.label,
  )

const explainSplit = (route: ExplainedRoute, { weightBp }: EffectiveState): ExplainedSide => {
  const { label, account, link, installationSalt } = route
  const subject = isDecidedByLink(label) ? link : account
  if (subject === null)
    return decide(
      'split',
      isDecidedByLink(label)
        ? `Native serves ${formatWeight(weightBp)} of share links; the core serves the rest.`
        : `Native serves ${formatWeight(weightBp)} of accounts; the core serves the rest. Requests without a valid token go to the core.`,
    )
  const bucket = bucketOf(installationSalt, areaOf(label), subject)
  const isNative = bucket < weightBp
  const why = `${subject} is in bucket ${bucket}. Native serves buckets below ${weightBp}, so ${isNative ? 'native' : 'the core'} serves it.`
  return { ...decide(isNative ? 'native' : 'core', why), bucket }
}

const explainKill = (route: ExplainedRoute, { weightBp }: EffectiveState): ExplainedSide | null => {
  const { label, states, configuredKills, hasCore } = route
  const outcome = hasCore ? 'so the core serves it' : 'and there is no core to serve it'
  const side = hasCore ? 'core' : weightBp > 0 ? 'unavailable' : 'none'
  const configured = scopesOf(label).find((scope) => configuredKills.includes(scope))
  if (configured) return prevent(side, `GATEWAY_KILL contains ${configured} on this instance, ${outcome}.`)
  const killer = findKiller(label, states)
  return killer && prevent(side, `${killer} is killed, ${outcome}. Resume ${killer} to undo this.`)
}

const explainNativeOnly = ({ label, configuredKills }: ExplainedRoute): ExplainedSide => {
  const configured = scopesOf(label).find((scope) => configuredKills.includes(scope))
  return configured
    ? prevent('unavailable', `GATEWAY_KILL contains ${configured} on this instance, so requests get 503.`)
    : decide('native', 'It is native-only, so the core never serves it.')
}

const explainWithoutHandler = (
  { label, hasCore, findMissingSettings }: ExplainedRoute,
  { stage }: EffectiveState,
): ExplainedSide => {
  const isForwarded = hasCore && stage !== 'retired'
  const reason = hasCore ? 'It is retired, so the core does not serve it' : 'There is no core to serve it'
  const outcome = isForwarded ? 'The core serves it' : reason
  const missing = findMissingSettings(label)
  return decide(
    isForwarded ? 'core' : 'none',
    missing === undefined
      ? `This build has no handler for it. ${outcome}.`
      : `${missing}, so this instance cannot serve it natively. ${outcome}.`,
  )
}

const explainSteady = (route: ExplainedRoute, { weightBp }: EffectiveState): ExplainedSide => {
  const everyone = isDecidedByLink(route.label) ? 'every share link' : 'every account'
  const overridden = route.account === null ? listOverrides(route).length : 0
  const exceptions = overridden === 0 ? [] : [`Overrides that apply: ${overridden}.`]
  return weightBp > 0
    ? decide('native', `Native serves ${everyone}.`, ...exceptions)
    : decide('core', `The core serves ${everyone}.`, ...exceptions)
}

const describeDrill = ({ drillUntil }: EffectiveState) =>
  drillUntil === null
    ? []
    : [
        `The route is in a drill until ${formatMinute(drillUntil)}. To end the drill sooner, ramp the route to 100 %.`,
      ]

const explainState = (route: ExplainedRoute, effective: EffectiveState): ExplainedSide => {
  if (effective.stage === 'retired')
    return decide(
      'native',
      'The route is retired, so native serves every request and cannot fall back to the core.',
      ...describeDrill(effective),
    )
  const override = findOverride(route)
  if (override) {
    const { accountId, scope, side, until } = override
    const end = until === null ? 'until it is removed' : `until ${until.toISOString()}`
    return decide(side, `An override for ${accountId} on ${scope} selects ${side} ${end}.`)
  }
  const { weightBp } = effective
  return weightBp > 0 && weightBp < fullWeightBp
    ? explainSplit(route, effective)
    : explainSteady(route, effective)
}

const stops = {
  stopped:
    'Native was stopped on this instance because it did worse than the core. The core serves the route until its state changes.',
  paused: 'Native is paused on this instance, so the core serves the route for now.',
} as const

const applyStop = (
  explained: ExplainedSide,
  { label, findStop }: ExplainedRoute,
  { stage }: EffectiveState,
): ExplainedSide => {
  const stop = explained.side === 'core' || stage === 'retired' ? null : findStop(label)
  return stop === null ? explained : { ...explained, side: 'core', inForce: [stops[stop]] }
}

/** Explains which side serves a route. Follows the routing view's order of precedence. */
export const explainSide = (route: ExplainedRoute, effective: EffectiveState): ExplainedSide => {
  const { label, hasCore, hasHandler } = route
  if (!isTwoSided(label)) return explainNativeOnly(route)
  const killed = explainKill(route, effective)
  if (killed) return killed
  if (hasCore && !route.isKnown) return decide('core', 'The core serves it until the state has been read.')
  if (!hasHandler(label)) return explainWithoutHandler(route, effective)
  if (!hasCore)
    return effective.weightBp > 0
      ? decide('native', 'There is no core, so native serves everything.')
      : decide('none', 'The core should serve it, but there is no core.')
  return applyStop(explainState(route, effective), route, effective)
}
