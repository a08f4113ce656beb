import { formatCount, formatCountOf, formatDuration, formatPercent } from '#shared/format-quantity.ts'
import { type Check, type CheckId, found, met, notMet, waitingFor } from './check.ts'
import type { ComparisonEvidence, GateLimits } from './gate-input.ts'
import {
  describeQuiet,
  describeQuietProgress,
  describeRisk,
  hasPassedQuietly,
  type QuietRoute,
} from './quiet-route.ts'
import { countMissingComparisons, hasPassed } from './sequential-test.ts'

const describePlace = ({ mainDifference }: ComparisonEvidence) =>
  mainDifference === null ? '' : `, most often ${mainDifference.kind} at ${mainDifference.path}`

const describeRegressions = (evidence: ComparisonEvidence) => {
  const { comparisons, regressions } = evidence.test
  return regressions === 0
    ? 'without a regression'
    : `with ${formatCountOf(regressions, 'regression')} (${formatPercent(regressions / comparisons)}${describePlace(evidence)})`
}

const describeMade = (evidence: ComparisonEvidence) =>
  `${formatCountOf(evidence.test.comparisons, 'comparison')} ${describeRegressions(evidence)}`

const describeLeak = ({ mainDifference }: ComparisonEvidence) =>
  `Native returned data that must never leave the service${mainDifference === null ? '' : ` (${mainDifference.path})`}.`

export const describeMismatches = (evidence: ComparisonEvidence): readonly string[] => {
  const { alarm, test } = evidence
  if (alarm === 'critical') return [describeLeak(evidence)]
  return test.regressions === 0
    ? []
    : [
        `Native differs from the core: ${describeMade(evidence)}${test.hasFailed ? ', so the code has failed' : ''}.`,
      ]
}

/** Every step requires this, even if the code is already serving requests. */
export const requireTestNotFailed = (
  evidence: ComparisonEvidence,
  quiet: QuietRoute | null,
  { test }: GateLimits,
): Check => {
  const made = describeMade(evidence)
  const { comparisons, regressions, hasFailed } = evidence.test
  if (hasFailed)
    return found(
      'mismatch',
      'comparisons',
      `${made}: this code has failed the test. Change the code to start a new test.`,
    )
  if (comparisons === 0)
    return met('comparisons', 'This code has not been compared yet, so no comparison has failed.')
  if (quiet === null || hasPassed(evidence.test, test))
    return met('comparisons', `${made}: this code has not failed the test.`)
  const quietly = `${describeQuiet(quiet)}: ${made}.`
  return regressions > 0
    ? found(
        'mismatch',
        'comparisons',
        `${quietly} A quiet route moves on only while no comparison has a regression.`,
      )
    : met('comparisons', `${quietly} ${describeRisk(comparisons)}`)
}

// Used for a quiet route while no comparison has found a regression.
const requireQuietTest = (
  evidence: ComparisonEvidence,
  quiet: QuietRoute,
  limits: GateLimits,
  now: number,
): Check => {
  const { comparisons } = evidence.test
  if (hasPassedQuietly(evidence, limits, now))
    return met(
      'comparisons',
      `${describeQuiet(quiet)}: ${describeMade(evidence)} in ${formatDuration(now - evidence.firstAt)}. ${describeRisk(comparisons)}`,
    )
  const progress = `${describeQuiet(quiet)}: ${describeQuietProgress(evidence, limits, now)}`
  const { compareMs, minComparisons } = limits.quiet
  const remainingMs = Math.max(0, compareMs - (now - evidence.firstAt))
  const missing = minComparisons - comparisons
  if (missing <= 0) return notMet('comparisons', `${progress}.`, remainingMs)
  const waiting = waitingFor('comparisons', progress, missing, evidence.comparisonsPerMinute)
  return waiting.expectedMs === null
    ? waiting
    : { ...waiting, expectedMs: Math.max(remainingMs, waiting.expectedMs) }
}

export const requireTest = (
  evidence: ComparisonEvidence,
  quiet: QuietRoute | null,
  limits: GateLimits,
  now: number,
): Check => {
  const { test } = limits
  const { comparisons, regressions } = evidence.test
  if (hasPassed(evidence.test, test)) return met('comparisons', `${describeMade(evidence)}: enough to pass.`)
  if (quiet !== null && regressions === 0) return requireQuietTest(evidence, quiet, limits, now)
  const missing = countMissingComparisons(evidence.test, test)
  if (missing === null) return requireTestNotFailed(evidence, quiet, limits)
  const required = formatCount(comparisons + missing)
  const waiting = waitingFor(
    'comparisons',
    `${formatCount(comparisons)} of ${required} comparisons ${describeRegressions(evidence)}`,
    missing,
    evidence.comparisonsPerMinute,
  )
  return regressions === 0 ? waiting : { ...waiting, finding: 'mismatch' }
}

export const requireNoMismatchAlarm = (evidence: ComparisonEvidence): Check => {
  const { alarm } = evidence
  const details = evidence.test.regressions === 0 ? '' : `: ${describeMade(evidence)}`
  if (alarm === 'critical') return found('mismatch', 'mismatches', describeLeak(evidence))
  if (alarm === 'mismatches')
    return found(
      'mismatch',
      'mismatches',
      `Native differs from the core too often for this to be chance${details}.`,
    )
  return met('mismatches', 'No difference has raised an alarm.')
}

const requireAtMost = (id: CheckId, part: number, total: number, limit: number, what: string): Check => {
  const fraction = part / total
  const counts = `${formatCount(part)} of ${formatCount(total)} ${what}`
  const sentence = `${counts}: ${formatPercent(fraction)}; at most ${formatPercent(limit)} is allowed.`
  return fraction <= limit ? met(id, sentence) : notMet(id, sentence)
}

export const requireFewTransients = (
  { test: { comparisons }, transients }: ComparisonEvidence,
  { maxTransientFraction }: GateLimits,
): Check => {
  if (comparisons === 0) return notMet('transients', 'No comparisons yet.')
  const what = 'comparisons found a difference only where the core disagreed with itself'
  return requireAtMost('transients', transients, comparisons, maxTransientFraction, what)
}

export const requireFewDrops = (
  { copies, drops }: ComparisonEvidence,
  { maxDropFraction }: GateLimits,
): Check => {
  if (copies === 0) return notMet('drops', 'No copied responses yet.')
  return requireAtMost('drops', drops, copies, maxDropFraction, 'copied responses were never compared')
}
