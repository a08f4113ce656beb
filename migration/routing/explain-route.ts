import type { Label } from '#contracts/route-table.ts'
import { bucketOf } from './bucket.ts'
import { areaOf, isTwoSided, type RouteScope, scopesOf } from './route-scope.ts'
import { initialStateOf, type RouteState } from './route-state.ts'
import type { StoredOverride } from './stored-state.ts'

/** What the decision for one route depends on. */
export interface ExplainedRoute {
  readonly label: Label
  readonly states: ReadonlyMap<RouteScope, RouteState>
  /** The scopes in `GATEWAY_KILL` of the instance that explains. */
  readonly configuredKills: readonly RouteScope[]
  readonly hasCore: boolean
  readonly hasHandler: boolean
  readonly overrides: readonly StoredOverride[]
  /** The account id, or for a route of a share link its slug or token; null explains the route without one. */
  readonly subject: string | null
  readonly installationSalt: string
  readonly now: Date
}

export interface Explanation {
  /** `split`: it depends on the subject. `none`: no side can serve it. */
  readonly side: 'core' | 'native' | 'split' | 'none'
  readonly bucket: number | null
  /** Whole sentences: why this side, and what keeps the route from moving. */
  readonly sentences: readonly string[]
}

/** `25 %`, with two decimals at most. */
export const formatWeight = (weightBp: number) => `${weightBp / 100} %`

/** The scope that kills a route in the stored state, the narrowest first; null if none does. */
export const findKiller = (label: Label, states: ExplainedRoute['states']): RouteScope | null =>
  scopesOf(label).find((scope) => states.get(scope)?.killed) ?? null

/** The scope that holds a route, the narrowest first; null if none does. */
export const findHolder = (label: Label, states: ExplainedRoute['states']): RouteScope | null =>
  scopesOf(label).find((scope) => states.get(scope)?.held) ?? null

/** The override of an account for a route: of its label before its area before `*`. */
const findOverride = ({ label, overrides, subject, now }: ExplainedRoute) => {
  const live = overrides.filter(
    ({ accountId, until }) => accountId === subject && (until === null || new Date(until) > now),
  )
  for (const scope of scopesOf(label)) {
    const found = live.find((override) => override.scope === scope)
    if (found) return found
  }
  return null
}

type Verdict = Omit<Explanation, 'sentences'> & { readonly why: string }

const noBucket = { bucket: null }

const explainSplit = (route: ExplainedRoute, { weightBp }: RouteState): Verdict => {
  const { label, subject, installationSalt } = route
  if (subject === null)
    return {
      side: 'split',
      ...noBucket,
      why: `Native serves ${formatWeight(weightBp)} of the subjects and the core the others; requests without a subject go to the core.`,
    }
  const bucket = bucketOf(`${installationSalt}\n${areaOf(label)}`, subject)
  const isNative = bucket < weightBp
  return {
    side: isNative ? 'native' : 'core',
    bucket,
    why: `The bucket of ${subject} is ${bucket}; native serves the buckets below ${weightBp}, so ${isNative ? 'native' : 'the core'} serves it.`,
  }
}

const explainKill = (route: ExplainedRoute): Verdict | null => {
  const { label, states, configuredKills, hasCore } = route
  const side = hasCore ? 'core' : 'none'
  const outcome = hasCore ? 'the core serves it' : 'there is no core to serve it'
  const configured = scopesOf(label).find((scope) => configuredKills.includes(scope))
  if (configured)
    return { side, ...noBucket, why: `GATEWAY_KILL contains ${configured} on this instance: ${outcome}.` }
  const killer = findKiller(label, states)
  return (
    killer && { side, ...noBucket, why: `${killer} is killed: ${outcome}. Resume ${killer} to undo this.` }
  )
}

const explainSide = (route: ExplainedRoute, state: RouteState): Verdict => {
  const { label, hasCore, hasHandler } = route
  if (!isTwoSided(label))
    return { side: 'native', ...noBucket, why: 'It is native-only: the core never serves it.' }
  const killed = explainKill(route)
  if (killed) return killed
  if (!hasHandler)
    return {
      side: hasCore ? 'core' : 'none',
      ...noBucket,
      why: `This build has no handler for it${hasCore ? ': the core serves it' : ', and there is no core'}.`,
    }
  if (!hasCore)
    return state.weightBp > 0
      ? { side: 'native', ...noBucket, why: 'There is no core, so native serves every subject.' }
      : { side: 'none', ...noBucket, why: 'The core should serve it, and there is none.' }
  const override = state.stage === 'retired' ? null : findOverride(route)
  if (override) {
    const { accountId, scope, side, until } = override
    const end = until === null ? 'until it is removed' : `until ${until}`
    return { side, ...noBucket, why: `An override of ${accountId} for ${scope} selects ${side} ${end}.` }
  }
  if (state.stage === 'canary') return explainSplit(route, state)
  return state.weightBp > 0
    ? { side: 'native', ...noBucket, why: 'Native serves every subject.' }
    : { side: 'core', ...noBucket, why: 'The core serves every subject.' }
}

const describeState = (label: Label, { stage, weightBp, version }: RouteState) => {
  const origin = version === 0 ? 'as in the route table' : `version ${version}`
  const weight = stage === 'canary' ? ` at ${formatWeight(weightBp)}` : ''
  return `${label} is in state ${stage}${weight} (${origin}).`
}

const describeHolds = (route: ExplainedRoute, state: RouteState) => {
  const holder = findHolder(route.label, route.states)
  return [
    ...(holder ? [`${holder} is held: automation neither promotes nor rolls it back.`] : []),
    ...(state.failedEvidenceKey !== null
      ? [`Code ${state.failedEvidenceKey} was stopped automatically: it is not promoted again automatically.`]
      : []),
  ]
}

/** Explains which side serves a route, for one subject or in general. */
export const explainRoute = (route: ExplainedRoute): Explanation => {
  const { label, states } = route
  const state = states.get(label) ?? initialStateOf(label)
  const { why, ...verdict } = explainSide(route, state)
  const stateSentence = isTwoSided(label) ? [describeState(label, state)] : []
  return { ...verdict, sentences: [...stateSentence, why, ...describeHolds(route, state)] }
}
