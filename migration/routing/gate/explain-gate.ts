import type { PromotionMode } from '../route-state.ts'
import { estimateAccounts } from './account-sample.ts'
import type { Clause } from './clause.ts'
import type { ComparisonSums } from './comparison-sums.ts'
import type { GateResult } from './evaluate-gate.ts'
import { formatCount, formatCountOf, formatShare } from './format-quantity.ts'
import { computeProgress, type SequentialTest, type SequentialTestState } from './sequential-test.ts'

/** A stored difference, with masked values. */
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

const describeClause = ({ id, holds, waivedBy, sentence }: Clause) => {
  const outcome = holds ? 'holds' : waivedBy === null ? 'does not hold' : `is waived by ${waivedBy}`
  return `Clause ${id} ${outcome}: ${sentence}`
}

/** The next step of a route, its mode, and the first clause that holds it back. */
export const describeNextStep = (
  { next: { action, blockedBy, sentence } }: GateResult,
  mode: PromotionMode,
): readonly string[] => [
  // Otherwise the sentence names it.
  ...(action === 'observe' || action === 'complete' ? [] : [`The mode is ${mode}.`]),
  blockedBy === null ? sentence : `Clause ${blockedBy} holds the route back. ${sentence}`,
]

/** The next step and all of its clauses. */
export const explainGate = (result: GateResult, mode: PromotionMode): readonly string[] => [
  ...describeNextStep(result, mode),
  ...result.clauses.map(describeClause),
]

const describeProgress = (state: SequentialTestState, test: SequentialTest) =>
  state.hasFailed
    ? 'the sequential test has failed'
    : `the sequential test is at ${formatShare(computeProgress(state, test))} of the score that passes`

/** What the comparisons of one code have found. */
export const explainComparisons = (
  sums: ComparisonSums,
  state: SequentialTestState,
  test: SequentialTest,
): readonly string[] => {
  const { copies, drops, comparisons, regressions, critical, transients, notComparable, repeated } = sums
  const counts = [
    formatCountOf(comparisons, 'independent comparison'),
    `${formatCount(regressions)} with a regression`,
    `${formatCount(transients)} with a transient difference`,
    `${formatCount(critical)} with a leak`,
  ]
  const others = `${formatCount(repeated)} repeated, ${formatCount(notComparable)} not comparable, ${formatCount(drops)} of ${formatCount(copies)} copies dropped`
  return [
    `Of this code there are ${counts.join(', ')} (${others}), with ${formatCount(estimateAccounts(sums.accounts))} accounts or links; ${describeProgress(state, test)}.`,
  ]
}

const formatValue = (value: string | null) => value ?? 'nothing'

// Where it is, how often it was found, and in which requests.
const explainMismatch = (found: ExplainedMismatch): string => {
  const { signature, kind, path, blame, count, exampleNative, exampleCore, requestIds } = found
  return `Difference ${signature}: ${found.class}, ${kind} at ${path}, blame ${blame}, found ${formatCountOf(count, 'time')}. Native had ${formatValue(exampleNative)}, the core ${formatValue(exampleCore)}; requests ${requestIds.join(', ')}.`
}

const maxExplained = 10

/** The first differences, each in a sentence. */
export const explainMismatches = (all: readonly ExplainedMismatch[]): readonly string[] => {
  const others = all.length - maxExplained
  return [
    ...all.slice(0, maxExplained).map(explainMismatch),
    ...(others > 0 ? [`${formatCountOf(others, 'more difference')}: --json prints all.`] : []),
  ]
}

const listIds = (clauses: readonly Clause[]) => clauses.map(({ id }) => id).join(', ')

/** What a person should know who performs a step: the clauses that do not hold. */
export const listGateWarnings = ({ clauses }: GateResult): readonly string[] => {
  const failing = clauses.filter(({ holds }) => !holds)
  const byOperator = Map.groupBy(failing, ({ waivedBy }) => waivedBy)
  return [...byOperator].map(([operator, ofOperator]) => {
    const waiver = operator === null ? '' : `, and ${operator} waives them`
    return `These clauses of the gate do not hold${waiver}: ${listIds(ofOperator)}.`
  })
}
