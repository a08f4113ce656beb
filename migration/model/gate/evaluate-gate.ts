import { isShadowable } from '../route-scope.ts'
import { initialStateOf, type RouteState } from '../route-state.ts'
import { type Check, notMet, sortByUrgency } from './check.ts'
import {
  requireFewDrops,
  requireFewTransients,
  requireNoMismatchAlarm,
  requireTest,
  requireTestNotFailed,
} from './comparison-checks.ts'
import { requireAccounts, requireShapes, requireStatuses } from './coverage-checks.ts'
import { type ComparisonEvidence, defaultGateLimits, type GateInput, type GateLimits } from './gate-input.ts'
import { chooseNextStep, findNextChange, type NextStep, noNextStep, type StepChange } from './next-step.ts'
import { findQuietRoute, type QuietRoute } from './quiet-route.ts'
import { requireCodeNotFailed, requireContract, requireState } from './state-checks.ts'
import { requireStep } from './step-checks.ts'

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

const waiveBy = ({ waiver, evidenceKey }: GateInput, change: StepChange, checks: readonly Check[]) => {
  if (waiver === null || change.kind !== 'ramp') return checks
  if (waiver.evidenceKey !== evidenceKey || waiver.weightBp !== change.weightBp) return checks
  return checks.map((check) => (check.isMet ? check : { ...check, waivedBy: waiver.operator }))
}

const requireAll = (input: GateInput, state: RouteState, change: StepChange, limits: GateLimits) => {
  const evidence = [
    requireCodeNotFailed(input, state),
    // The step to shadow needs no evidence: shadow collects it, and no client receives native's response.
    ...(change.kind === 'shadow' ? [] : requireEvidence(input, state, limits)),
  ]
  return sortByUrgency([...requireState(input), ...waiveBy(input, change, evidence)])
}

/**
 * Decides whether a route may take its next step: from shadow to the first percentage, then from each percentage to the
 * next, up to 100 %. Missing evidence blocks the step. Does not take the step itself.
 */
export const evaluateGate = (input: GateInput, limits = defaultGateLimits): GateResult => {
  const state = input.states.get(input.label) ?? initialStateOf(input.label)
  const change = findNextChange(input.label, state, limits.weightsBp)
  if (change === null) return { checks: [], next: noNextStep }
  const checks = requireAll(input, state, change, limits)
  return { checks, next: chooseNextStep(input.label, state, change, checks) }
}
