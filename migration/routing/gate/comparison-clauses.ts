import { type Clause, type ClauseId, satisfied, unsatisfied, waitingFor } from './clause.ts'
import { formatCount, formatCountOf, formatShare } from './format-quantity.ts'
import type { ComparisonEvidence, GateLimits } from './gate-input.ts'
import { countMissingComparisons, hasPassed } from './sequential-test.ts'

const describeRegressions = (regressions: number) =>
  regressions === 0 ? 'without a regression' : `with ${formatCountOf(regressions, 'regression')}`

const describeMade = ({ test: { comparisons, regressions } }: ComparisonEvidence) =>
  `${formatCountOf(comparisons, 'comparison')} ${describeRegressions(regressions)}`

/** The sequential test has not failed: what each step requires, also of code that native serves already. */
export const requireTestNotFailed = (evidence: ComparisonEvidence): Clause => {
  const made = describeMade(evidence)
  return evidence.test.hasFailed
    ? unsatisfied('comparisons', `${made}: the code has failed. Changed code is compared anew.`)
    : evidence.test.comparisons === 0
      ? satisfied('comparisons', 'The code has not failed: it has not been compared yet.')
      : satisfied('comparisons', `${made}: the code has not failed.`)
}

/** So few comparisons found a regression that the sequential test has passed. */
export const requireTest = (evidence: ComparisonEvidence, { test }: GateLimits): Clause => {
  const { comparisons, regressions } = evidence.test
  if (hasPassed(evidence.test, test))
    return satisfied('comparisons', `${describeMade(evidence)}: enough to pass.`)
  const missing = countMissingComparisons(evidence.test, test)
  if (missing === null) return requireTestNotFailed(evidence)
  const required = formatCount(comparisons + missing)
  return waitingFor(
    'comparisons',
    `${formatCount(comparisons)} of ${required} comparisons ${describeRegressions(regressions)}`,
    missing,
    evidence.comparisonsPerMinute,
  )
}

export const requireNoMismatchAlarm = ({ alarm }: ComparisonEvidence): Clause => {
  if (alarm === 'critical')
    return unsatisfied('mismatches', 'Native returned data that must never leave the service.')
  if (alarm === 'mismatches')
    return unsatisfied('mismatches', 'Native responses differ from those of the core too often to be chance.')
  return satisfied('mismatches', 'No difference has raised an alarm.')
}

const requireShareAtMost = (
  id: ClauseId,
  part: number,
  total: number,
  limit: number,
  what: string,
): Clause => {
  const share = part / total
  const counts = `${formatCount(part)} of ${formatCount(total)} ${what}`
  const sentence = `${counts}: ${formatShare(share)}, and at most ${formatShare(limit)} is allowed.`
  return share <= limit ? satisfied(id, sentence) : unsatisfied(id, sentence)
}

export const requireFewTransients = (
  { test: { comparisons }, transients }: ComparisonEvidence,
  { maxTransientShare }: GateLimits,
): Clause => {
  if (comparisons === 0) return unsatisfied('transients', 'No comparisons have been made yet.')
  const what = 'comparisons found a difference that did not occur again'
  return requireShareAtMost('transients', transients, comparisons, maxTransientShare, what)
}

export const requireFewDrops = (
  { copies, drops }: ComparisonEvidence,
  { maxDropShare }: GateLimits,
): Clause => {
  if (copies === 0) return unsatisfied('drops', 'No responses have been copied yet.')
  return requireShareAtMost('drops', drops, copies, maxDropShare, 'copied responses were never compared')
}
