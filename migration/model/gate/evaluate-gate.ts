import type { Label } from '#contracts/route-table.ts'
import { isTwoSided } from '#contracts/shared/row.ts'
import { formatCountOf, formatDuration } from '#shared/format-quantity.ts'
import type { RouteChange } from '../apply-change.ts'
import { formatWeight } from '../format-state.ts'
import { isShadowable } from '../route-scope.ts'
import { initialStateOf, type RouteState } from '../route-state.ts'
import { type Check, type CheckId, notMet, sortByUrgency } from './check.ts'
import {
  requireFewDrops,
  requireFewTransients,
  requireNoMismatchAlarm,
  requireTest,
  requireTestNotFailed,
} from './comparison-checks.ts'
import { requireAccounts, requireShapes, requireStatuses } from './coverage-checks.ts'
import { type ComparisonEvidence, defaultGateLimits, type GateInput, type GateLimits } from './gate-input.ts'
import { findQuietRoute, type QuietRoute } from './quiet-route.ts'
import { requireCodeNotFailed, requireContract, requireState, requireStep } from './state-checks.ts'

export type StepChange = Extract<RouteChange, { readonly kind: 'shadow' | 'ramp' }>

interface NextStep {
  readonly change: StepChange | null
  /**
   * `blocked`: a check is not met. `observe`: all checks are met, but the route's mode is `observe`. `recommend`: a
   * person may take the step. `promote`: automation takes it. `complete`: there is no next step.
   */
  readonly action: 'blocked' | 'observe' | 'recommend' | 'promote' | 'complete'
  readonly blockedBy: CheckId | null
  /** Milliseconds until all checks are met at the current rates; null if unknown or never. */
  readonly expectedMs: number | null
  readonly sentence: string
}

const findNextChange = (
  label: Label,
  { stage, weightBp }: RouteState,
  weightsBp: readonly number[],
): StepChange | null => {
  if (!isTwoSided(label) || stage === 'native' || stage === 'retired') return null
  if (stage === 'proxy' && isShadowable(label)) return { kind: 'shadow' }
  const next = weightsBp.find((weight) => weight > weightBp)
  return next === undefined ? null : { kind: 'ramp', weightBp: next }
}

export const formatStep = (change: StepChange) =>
  change.kind === 'shadow' ? 'shadow' : formatWeight(change.weightBp)

const choosePermitted = (label: Label, change: StepChange, { mode }: RouteState): NextStep => {
  const permitted = { change, blockedBy: null, expectedMs: 0 }
  const step = `Next step: ${formatStep(change)}. No check blocks it`
  if (mode === 'observe') return { ...permitted, action: 'observe', sentence: `${step}. Mode: observe.` }
  // A person must take every step of a route that cannot be compared in shadow, such as a write.
  return mode === 'auto' && isShadowable(label)
    ? { ...permitted, action: 'promote', sentence: `${step}.` }
    : { ...permitted, action: 'recommend', sentence: `${step}. A person has to take it.` }
}

const findExpectedMs = (blocking: readonly Check[]) => {
  const known = blocking.flatMap(({ expectedMs }) => expectedMs ?? [])
  return known.length === blocking.length ? Math.max(...known) : null
}

const describeBlocked = (change: StepChange, first: Check, others: number, expectedMs: number | null) => {
  const rest = others === 0 ? '' : ` (and ${formatCountOf(others, 'other check')})`
  return [
    `Next step: ${formatStep(change)}, blocked by ${first.id}${rest}.`,
    first.sentence,
    expectedMs === null ? 'No estimate yet.' : `Expected in ${formatDuration(expectedMs)}.`,
  ].join(' ')
}

const chooseNextStep = (
  label: Label,
  state: RouteState,
  change: StepChange,
  checks: readonly Check[],
): NextStep => {
  const blocking = checks.filter(({ isMet }) => !isMet)
  const [first] = blocking
  if (first === undefined) return choosePermitted(label, change, state)
  const expectedMs = findExpectedMs(blocking)
  const sentence = describeBlocked(change, first, blocking.length - 1, expectedMs)
  return { change, action: 'blocked', blockedBy: first.id, expectedMs, sentence }
}

/** For a route that native serves to everyone, or that has only one side. */
const noNextStep: NextStep = {
  change: null,
  action: 'complete',
  blockedBy: null,
  expectedMs: null,
  sentence: 'There is no next step.',
}

export interface GateResult {
  /** Most urgent first. */
  readonly checks: readonly Check[]
  readonly next: NextStep
}

const requireComparisons = (
  { label, now }: GateInput,
  comparisons: ComparisonEvidence | null,
  quiet: QuietRoute | null,
  limits: GateLimits,
): readonly Check[] =>
  comparisons === null
    ? [notMet('comparisons', 'No comparisons of this code have been made yet.')]
    : [
        requireNoMismatchAlarm(comparisons),
        requireTest(comparisons, quiet, limits, now),
        // A quiet route has so few requests that rare statuses and shapes hardly occur.
        requireStatuses(comparisons, quiet ? 1 : limits.minComparisonsPerStatus),
        requireShapes(label, comparisons, quiet ? 1 : limits.minComparisonsPerShape),
        requireFewTransients(comparisons, limits),
        requireFewDrops(comparisons, limits),
        requireAccounts(label, comparisons, limits),
      ]

// Comparisons continue during a canary: reads are compared with the core's response, and writes are read back from both
// sides.
const requireNoFailure = (
  comparisons: ComparisonEvidence | null,
  quiet: QuietRoute | null,
  limits: GateLimits,
): readonly Check[] =>
  comparisons === null
    ? []
    : [requireNoMismatchAlarm(comparisons), requireTestNotFailed(comparisons, quiet, limits)]

const requireEvidence = (input: GateInput, state: RouteState, limits: GateLimits): readonly Check[] => {
  const { label, evidenceKey } = input
  const comparisons = input.comparisons?.evidenceKey === evidenceKey ? input.comparisons : null
  const quiet = isShadowable(label) ? findQuietRoute(input, limits) : null
  // Code that is deployed during a canary must be compared too.
  const isCompared = state.weightBp > 0 && state.evidenceKey === evidenceKey
  return [
    requireContract(input),
    ...(isShadowable(label) && !isCompared
      ? requireComparisons(input, comparisons, quiet, limits)
      : requireNoFailure(comparisons, quiet, limits)),
    ...(state.weightBp > 0 ? requireStep(input, state, limits) : []),
  ]
}

const requireAll = (input: GateInput, state: RouteState, change: StepChange, limits: GateLimits) =>
  sortByUrgency([
    ...requireState(input),
    requireCodeNotFailed(input, state),
    // The step to shadow needs no evidence: shadow collects it, and no client receives native's response.
    ...(change.kind === 'shadow' ? [] : requireEvidence(input, state, limits)),
  ])

/** Decides whether a route may take its next step: to shadow, to the first percentage, and so on up to 100 %. */
export const evaluateGate = (input: GateInput, limits = defaultGateLimits): GateResult => {
  const state = input.states.get(input.label) ?? initialStateOf(input.label)
  const change = findNextChange(input.label, state, limits.weightsBp)
  if (change === null) return { checks: [], next: noNextStep }
  const checks = requireAll(input, state, change, limits)
  return { checks, next: chooseNextStep(input.label, state, change, checks) }
}
