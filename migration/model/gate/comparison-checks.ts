import { type Check, type CheckId, met, notMet, waitingFor } from './check.ts'
import { formatCount, formatCountOf, formatPercent } from './format-quantity.ts'
import type { ComparisonEvidence, GateLimits } from './gate-input.ts'
import { countMissingComparisons, hasPassed } from './sequential-test.ts'

const describeRegressions = (regressions: number) =>
  regressions === 0 ? 'without a regression' : `with ${formatCountOf(regressions, 'regression')}`

const describeMade = ({ test: { comparisons, regressions } }: ComparisonEvidence) =>
  `${formatCountOf(comparisons, 'comparison')} ${describeRegressions(regressions)}`

/** The sequential test has not failed: what each step requires, also of code that native serves already. */
export const requireTestNotFailed = (evidence: ComparisonEvidence): Check => {
  const made = describeMade(evidence)
  return evidence.test.hasFailed
    ? notMet('comparisons', `${made}: the code has failed. Changed code is compared anew.`)
    : evidence.test.comparisons === 0
      ? met('comparisons', 'The code has not failed: it has not been compared yet.')
      : met('comparisons', `${made}: the code has not failed.`)
}

/** So few comparisons found a regression that the sequential test has passed. */
export const requireTest = (evidence: ComparisonEvidence, { test }: GateLimits): Check => {
  const { comparisons, regressions } = evidence.test
  if (hasPassed(evidence.test, test)) return met('comparisons', `${describeMade(evidence)}: enough to pass.`)
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

export const requireNoMismatchAlarm = ({ alarm }: ComparisonEvidence): Check => {
  if (alarm === 'critical')
    return notMet('mismatches', 'Native returned data that must never leave the service.')
  if (alarm === 'mismatches')
    return notMet('mismatches', 'Native responses differ from those of the core too often to be chance.')
  return met('mismatches', 'No difference has raised an alarm.')
}

const requireAtMost = (id: CheckId, part: number, total: number, limit: number, what: string): Check => {
  const fraction = part / total
  const counts = `${formatCount(part)} of ${formatCount(total)} ${what}`
  const sentence = `${counts}: ${formatPercent(fraction)}, and at most ${formatPercent(limit)} is allowed.`
  return fraction <= limit ? met(id, sentence) : notMet(id, sentence)
}

export const requireFewTransients = (
  { test: { comparisons }, transients }: ComparisonEvidence,
  { maxTransientFraction }: GateLimits,
): Check => {
  if (comparisons === 0) return notMet('transients', 'No comparisons have been made yet.')
  const what = 'comparisons found a difference only where the core disagreed with itself'
  return requireAtMost('transients', transients, comparisons, maxTransientFraction, what)
}

export const requireFewDrops = (
  { copies, drops }: ComparisonEvidence,
  { maxDropFraction }: GateLimits,
): Check => {
  if (copies === 0) return notMet('drops', 'No responses have been copied yet.')
  return requireAtMost('drops', drops, copies, maxDropFraction, 'copied responses were never compared')
}
