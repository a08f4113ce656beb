import type { Label } from '#contracts/route-table.ts'
import { isShadowable } from '../route-scope.ts'
import { initialStateOf, type RouteState } from '../route-state.ts'
import { type Clause, unsatisfied } from './clause.ts'
import {
  requireFewDrops,
  requireFewTransients,
  requireNoMismatchAlarm,
  requireTest,
  requireTestNotFailed,
} from './comparison-clauses.ts'
import { requireAccounts, requireStatuses } from './coverage-clauses.ts'
import { type ComparisonEvidence, defaultGateLimits, type GateInput, type GateLimits } from './gate-input.ts'
import { chooseNextStep, findNextChange, type NextStep, noNextStep, type StepChange } from './next-step.ts'
import { requireCodeNotFailed, requireContract, requireState } from './state-clauses.ts'
import { requireStep } from './step-clauses.ts'

/** Whether the next step of a route may be performed, and each condition of it. */
export interface GateResult {
  readonly clauses: readonly Clause[]
  readonly next: NextStep
}

const requireComparisons = (
  label: Label,
  comparisons: ComparisonEvidence | null,
  limits: GateLimits,
): readonly Clause[] =>
  comparisons === null
    ? [unsatisfied('comparisons', 'No comparisons of this code have been made yet.')]
    : [
        requireTest(comparisons, limits),
        requireNoMismatchAlarm(comparisons),
        requireStatuses(comparisons, limits),
        requireFewTransients(comparisons, limits),
        requireFewDrops(comparisons, limits),
        requireAccounts(label, comparisons, limits),
      ]

// Comparisons go on while native serves a share: of reads with what the core returns, of writes with what both then read.
const requireNoFailure = (comparisons: ComparisonEvidence | null): readonly Clause[] =>
  comparisons === null ? [] : [requireTestNotFailed(comparisons), requireNoMismatchAlarm(comparisons)]

/** What the evidence must show before native serves a larger share. */
const requireEvidence = (input: GateInput, state: RouteState, limits: GateLimits): readonly Clause[] => {
  const { label, evidenceKey } = input
  const comparisons = input.comparisons?.evidenceKey === evidenceKey ? input.comparisons : null
  // Code that has replaced the compared code during a canary must be compared as well.
  const isCompared = state.weightBp > 0 && state.evidenceKey === evidenceKey
  return [
    requireContract(input),
    ...(isShadowable(label) && !isCompared
      ? requireComparisons(label, comparisons, limits)
      : requireNoFailure(comparisons)),
    ...(state.weightBp > 0 ? requireStep(input, state, limits) : []),
  ]
}

const waiveBy = ({ waiver, evidenceKey }: GateInput, change: StepChange, clauses: readonly Clause[]) => {
  if (waiver === null || change.kind !== 'ramp') return clauses
  if (waiver.evidenceKey !== evidenceKey || waiver.weightBp !== change.weightBp) return clauses
  return clauses.map((clause) => (clause.holds ? clause : { ...clause, waivedBy: waiver.operator }))
}

const requireAll = (input: GateInput, state: RouteState, change: StepChange, limits: GateLimits) => {
  const evidence = [
    requireCodeNotFailed(input, state),
    // No client receives what native returns in shadow: the evidence is collected there.
    ...(change.kind === 'shadow' ? [] : requireEvidence(input, state, limits)),
  ]
  return [...requireState(input), ...waiveBy(input, change, evidence)]
}

/**
 * Decides whether the next step of a route may be performed: from shadow to the first share of native, from share to share,
 * up to all. Missing evidence blocks a step. Changes nothing itself.
 */
export const evaluateGate = (input: GateInput, limits = defaultGateLimits): GateResult => {
  const state = input.states.get(input.label) ?? initialStateOf(input.label)
  const change = findNextChange(input.label, state, limits.weightsBp)
  if (change === null) return { clauses: [], next: noNextStep }
  const clauses = requireAll(input, state, change, limits)
  return { clauses, next: chooseNextStep(input.label, state, change, clauses) }
}
