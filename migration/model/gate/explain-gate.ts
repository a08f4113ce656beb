import { formatCount, formatCountOf, formatPercent } from '#shared/format-quantity.ts'
import { formatWeight } from '../format-state.ts'
import type { PromotionMode, RouteState } from '../route-state.ts'
import { estimateAccounts } from './account-sample.ts'
import type { Check } from './check.ts'
import { describeMismatches } from './comparison-checks.ts'
import type { ComparisonSums } from './comparison-sums.ts'
import type { GateResult } from './evaluate-gate.ts'
import type { GateInput } from './gate-input.ts'
import { computeProgress, type SequentialTest, type SequentialTestState } from './sequential-test.ts'
import { listInForce } from './state-checks.ts'

interface ExplainedMismatch {
  readonly signature: string
  readonly kind: string
  readonly path: string
  readonly class: string
  readonly blame: string
  readonly count: number
  readonly exampleNative: string | null
  readonly exampleCore: string | null
  readonly requestIds: readonly string[]
}

const describeCheck = ({ id, isMet, sentence }: Check) => `${id} (${isMet ? 'met' : 'not met'}): ${sentence}`

export const describeNextStep = (
  { next: { action, sentence } }: GateResult,
  mode: PromotionMode,
): readonly string[] => [
  // For `observe` and `complete`, the sentence itself names the mode if it matters.
  ...(action === 'observe' || action === 'complete' ? [] : [`Mode: ${mode}.`]),
  sentence,
]

export const describeFindings = (input: GateInput, state: RouteState): readonly string[] => [
  ...listInForce(input, state).map(({ sentence }) => sentence),
  ...(input.comparisons ? describeMismatches(input.comparisons) : []),
]

export const explainGate = (result: GateResult, mode: PromotionMode): readonly string[] => [
  ...describeNextStep(result, mode),
  ...result.checks.map(describeCheck),
]

const describeProgress = (state: SequentialTestState, test: SequentialTest) =>
  state.hasFailed
    ? 'the sequential test has failed'
    : `the sequential test is at ${formatPercent(computeProgress(state, test))} of the passing score`

export const explainComparisons = (
  sums: ComparisonSums,
  state: SequentialTestState,
  test: SequentialTest,
): readonly string[] => {
  const { copies, drops, critical, transients, notComparable, repeated } = sums
  // The test's own counts. The sums may include comparisons that the test has not evaluated yet.
  const { comparisons, regressions } = state
  const found = [
    `${formatCount(regressions)} with a regression`,
    `${formatCount(transients)} with a transient difference`,
    `${formatCount(critical)} with a leak`,
  ]
  const others = `${formatCount(repeated)} repeated, ${formatCount(notComparable)} not comparable, ${formatCount(drops)} of ${formatCount(copies)} copies dropped`
  return [
    `This code has ${formatCountOf(comparisons, 'independent comparison')} from ${formatCount(estimateAccounts(sums.accounts))} accounts or links: ${found.join(', ')} (also ${others}); ${describeProgress(state, test)}.`,
  ]
}

const formatValue = (value: string | null) => value ?? 'nothing'

const explainMismatch = (found: ExplainedMismatch): string => {
  const { signature, kind, path, blame, count, exampleNative, exampleCore, requestIds } = found
  return `Difference ${signature}: ${found.class}, ${kind} at ${path}, blame ${blame}, found ${formatCountOf(count, 'time')}. Native had ${formatValue(exampleNative)}, the core ${formatValue(exampleCore)}; requests ${requestIds.join(', ')}.`
}

const maxExplained = 10

export const explainMismatches = (all: readonly ExplainedMismatch[]): readonly string[] => {
  const others = all.length - maxExplained
  return [
    ...all.slice(0, maxExplained).map(explainMismatch),
    ...(others > 0 ? [`${formatCountOf(others, 'more difference')}: --json prints all.`] : []),
  ]
}

const listUnmet = ({ checks }: GateResult) =>
  checks
    .filter(({ isMet }) => !isMet)
    .map(({ id }) => id)
    .join(', ')

export const listGateWarnings = (gate: GateResult): readonly string[] => {
  const unmet = listUnmet(gate)
  return unmet === '' ? [] : [`Checks not met: ${unmet}.`]
}

/** Says why a person would have to waive checks to reach this weight; null if the gate allows it. */
export const findGateObstacle = (gate: GateResult, weightBp: number): string | null => {
  const unmet = listUnmet(gate)
  if (unmet !== '') return `these gate checks are not met: ${unmet}`
  const { change } = gate.next
  return change?.kind === 'ramp' && change.weightBp < weightBp
    ? `the gate permits only ${formatWeight(change.weightBp)} as the next step`
    : null
}
