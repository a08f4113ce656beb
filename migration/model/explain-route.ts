import type { Label } from '#contracts/route-table.ts'
import { isDecidedByLink, isTwoSided } from '#contracts/shared/row.ts'
import { formatMinute } from '#shared/format-quantity.ts'
import {
  createRouteDecider,
  findNarrowest,
  type RouteDecision,
  type StaticState,
} from './build-routing-view.ts'
import { type FailedCode, hasFailed } from './failed-code.ts'
import { describeStaticState, describeUnreadable, formatStage, formatWeight } from './format-state.ts'
import { type RouteScope, scopesOf } from './route-scope.ts'
import { findHolder, fullWeightBp, initialStateOf, type RouteState } from './route-state.ts'
import {
  type AccountOverride,
  chooseForAccount,
  chooseForLink,
  groupOverrides,
  type RouteView,
} from './routing-view.ts'

export interface ExplainedInstance {
  /** The states that this instance has adopted; empty until it has read them. */
  readonly states: ReadonlyMap<RouteScope, RouteState>
  readonly isKnown: boolean
  /** Scopes whose stored state this version of Crossfade cannot read. */
  readonly unreadable: readonly string[]
  readonly configuredKills: readonly RouteScope[]
  readonly staticStates: readonly StaticState[]
  readonly hasCore: boolean
  readonly hasHandler: (label: Label) => boolean
  readonly findEvidenceKey: (label: Label) => string | undefined
  readonly findMissingSettings: (label: Label) => string | undefined
  readonly findStop: (label: Label) => 'stopped' | 'paused' | null
  readonly installationSalt: string
}

export interface ExplainedRoute extends ExplainedInstance {
  readonly label: Label
  readonly overrides: readonly AccountOverride[]
  readonly failedCode: readonly FailedCode[]
  readonly account: string | null
  /** A share link's slug or token. If null, explains the route for all links. */
  readonly link: string | null
  readonly now: Date
}

interface ExplainedSide {
  /**
   * `split`: depends on the account or link. `unavailable`: the route is killed and there is no core to serve it (503).
   * `none`: the core should serve it, but there is none (501).
   */
  readonly side: RouteView['side']
  readonly bucket: number | null
  /** What keeps native from serving, whatever the route's state: a kill, or a stop or pause on this instance. */
  readonly inForce: readonly string[]
  readonly why: readonly string[]
}

const explained = (side: ExplainedSide['side'], ...why: readonly string[]): ExplainedSide => ({
  side,
  bucket: null,
  inForce: [],
  why,
})

const listOverrides = ({ label, overrides, now }: ExplainedRoute) =>
  isDecidedByLink(label)
    ? []
    : overrides.filter(
        ({ scope, until }) => scopesOf(label).includes(scope) && (until === null || until > now),
      )

const decide = (route: ExplainedRoute): RouteDecision =>
  createRouteDecider({
    ...route,
    isStale: false,
    states: [...route.states.values()],
    overrides: groupOverrides(route.overrides.filter(({ accountId }) => accountId === route.account)),
    kills: route.configuredKills,
    handled: { has: route.hasHandler },
    now: route.now.getTime(),
  })(route.label)

const choose = ({ label, account, link, now }: ExplainedRoute, view: RouteView) => {
  if (view.side !== 'split') return null
  if (isDecidedByLink(label)) return link === null ? null : chooseForLink(view, link)
  return account === null ? null : chooseForAccount(view, account, () => now.getTime())
}

const describeOverride = (route: ExplainedRoute) => {
  const ofAccount = listOverrides(route).filter(({ accountId }) => accountId === route.account)
  const found = findNarrowest(ofAccount, route.label)
  if (!found) return []
  const { accountId, scope, side, until } = found
  const end = until === null ? 'until it is removed' : `until ${until.toISOString()}`
  return [`An override for ${accountId} on ${scope} selects ${side} ${end}.`]
}

const explainPercentage = (route: ExplainedRoute, view: RouteView): ExplainedSide => {
  const { label, account, link } = route
  const chosen = choose(route, view)
  if (chosen?.reason === 'targeting_match') return explained(chosen.side, ...describeOverride(route))
  const isByLink = isDecidedByLink(label)
  if (view.side !== 'split' || view.weightBp === 0 || view.weightBp === fullWeightBp) {
    const isNative = view.side === 'split' ? view.weightBp > 0 : view.side === 'native'
    const overridden = account === null ? listOverrides(route).length : 0
    return explained(
      isNative ? 'native' : 'core',
      `${isNative ? 'Native' : 'The core'} serves every ${isByLink ? 'share link' : 'account'}.`,
      ...(overridden === 0 ? [] : [`Overrides that apply: ${overridden}.`]),
    )
  }
  const { weightBp, findBucket } = view
  const subject = isByLink ? link : account
  if (chosen === null || subject === null)
    return explained(
      'split',
      isByLink
        ? `Native serves ${formatWeight(weightBp)} of share links; the core serves the rest.`
        : `Native serves ${formatWeight(weightBp)} of accounts; the core serves the rest. Requests without a valid token go to the core.`,
    )
  const { side } = chosen
  const bucket = findBucket(subject)
  const why = `${subject} is in bucket ${bucket}. Native serves buckets below ${weightBp}, so ${side === 'native' ? 'native' : 'the core'} serves it.`
  return { ...explained(side, why), bucket }
}

const explainKill = (
  { label, hasCore }: ExplainedRoute,
  { rule, killer, view }: Extract<RouteDecision, { readonly killer: RouteScope }>,
): ExplainedSide => {
  const withoutCore = isTwoSided(label) ? 'and there is no core to serve it' : 'so requests get 503'
  const outcome = hasCore && isTwoSided(label) ? 'so the core serves it' : withoutCore
  const sentence =
    rule === 'killed'
      ? `${killer} is killed, ${outcome}. Resume ${killer} to undo this.`
      : `GATEWAY_KILL contains ${killer} on this instance, ${outcome}.`
  return { ...explained(view.side), inForce: [sentence] }
}

const explainWithoutHandler = (
  { label, hasCore, findMissingSettings }: ExplainedRoute,
  side: RouteView['side'],
): ExplainedSide => {
  const reason = hasCore ? 'It is retired, so the core does not serve it' : 'There is no core to serve it'
  const outcome = side === 'core' ? 'The core serves it' : reason
  const missing = findMissingSettings(label)
  return explained(
    side,
    missing === undefined
      ? `This build has no handler for it. ${outcome}.`
      : `${missing}, so this instance cannot serve it natively. ${outcome}.`,
  )
}

const describeDrill = (until: string | null) =>
  until === null
    ? []
    : [
        `The route is in a drill until ${formatMinute(until)}. To end the drill sooner, ramp the route to 100 %.`,
      ]

const stops = {
  stopped:
    'Native was stopped on this instance because it did worse than the core. The core serves the route until its state changes.',
  paused: 'Native is paused on this instance, so the core serves the route for now.',
} as const

const applyStop = (side: ExplainedSide, { label, findStop }: ExplainedRoute): ExplainedSide => {
  const stop = side.side === 'core' ? null : findStop(label)
  return stop === null ? side : { ...side, side: 'core', inForce: [stops[stop]] }
}

const explainDecision = (
  route: ExplainedRoute,
  decision: RouteDecision,
  drillUntil: string | null,
): ExplainedSide => {
  const { view } = decision
  switch (decision.rule) {
    case 'killed-by-settings':
    case 'killed':
      return explainKill(route, decision)
    case 'native-only':
      return explained(view.side, 'It is native-only, so the core never serves it.')
    case 'state-unknown':
      return explained(view.side, 'The core serves it until the state has been read.')
    case 'no-handler':
      return explainWithoutHandler(route, view.side)
    case 'no-core':
      return view.side === 'native'
        ? explained(view.side, 'There is no core, so native serves everything.')
        : explained(view.side, 'The core should serve it, but there is no core.')
    case 'retired':
      return explained(
        view.side,
        'The route is retired, so native serves every request and cannot fall back to the core.',
        ...describeDrill(drillUntil),
      )
    case 'percentage':
      return applyStop(explainPercentage(route, view), route)
  }
}

const describeState = (label: Label, state: RouteState) => {
  const origin = state.version === 0 ? 'as in the route table' : `version ${state.version}`
  return `${label}: ${formatStage(state)} (${origin}).`
}

const describeHolds = ({ label, states, findEvidenceKey, failedCode }: ExplainedRoute, state: RouteState) => {
  const holder = findHolder(label, states)
  const evidenceKey = findEvidenceKey(label)
  const isStopped = evidenceKey !== undefined && hasFailed(state, evidenceKey, failedCode)
  return [
    ...(holder ? [`${holder} is held: automation neither promotes nor rolls it back.`] : []),
    ...(isStopped
      ? [
          `The code running here (${evidenceKey}) was stopped automatically. Automation will not promote it again.`,
        ]
      : []),
  ]
}

const describeOtherStop = ({ label, findEvidenceKey }: ExplainedRoute, { failedEvidenceKey }: RouteState) =>
  failedEvidenceKey === null || failedEvidenceKey === findEvidenceKey(label)
    ? []
    : [`A different version of the code (${failedEvidenceKey}) was stopped automatically in the past.`]

const describeIgnored = ({ label, account, link }: ExplainedRoute) => {
  if (isDecidedByLink(label))
    return account === null
      ? []
      : [
          'The share link, not the account, decides which side serves this route. Use --link with its slug or token.',
        ]
  return link === null
    ? []
    : ['The account, not a share link, decides which side serves this route. Use --account.']
}

/** `mismatches` are sentences about what comparisons of the route's code found. */
export const explainRoute = (route: ExplainedRoute, mismatches: readonly string[] = []) => {
  const { label, states, staticStates, unreadable } = route
  const state = states.get(label) ?? initialStateOf(label)
  const fixed = isTwoSided(label) ? findNarrowest(staticStates, label) : undefined
  const { why, inForce, side, bucket } = explainDecision(
    route,
    decide(route),
    fixed ? null : state.drillUntil,
  )
  // Most urgent first: kills and stops in force, then what was found, then why this side serves the route.
  const sentences: readonly string[] = [
    ...inForce,
    ...describeHolds(route, state),
    ...mismatches,
    ...(isTwoSided(label) ? [describeState(label, state)] : []),
    ...describeUnreadable(scopesOf(label).filter((scope) => unreadable.includes(scope))),
    ...(fixed ? [describeStaticState(fixed)] : []),
    ...why,
    ...describeIgnored(route),
    ...describeOtherStop(route, state),
  ]
  return { side, bucket, sentences }
}
