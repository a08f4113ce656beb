import { html } from 'hono/html'
import type { Difference, DifferenceClass } from '../../diff/verdict.ts'
import { joinLines, replaceForbidden } from './parity-parts.ts'
import type { Comparison } from './parity-run.ts'
import { isConclusive, type ParityReport, type RowSummary } from './summary.ts'

const failing: readonly DifferenceClass[] = ['regression', 'critical']
const inError: readonly DifferenceClass[] = ['not_comparable', 'failed']

const formatDifference = ({ class: differenceClass, kind, path, blame, example, reason }: Difference) =>
  [
    `${differenceClass}: ${kind} at ${example.path} (${path}), blame ${blame}`,
    `native ${example.native ?? 'absent'}, core ${example.core ?? 'absent'}`,
    ...(reason === undefined ? [] : [reason]),
  ].join('; ')

const formatOutcome = ({ class: name, differences }: Comparison) => {
  const lines = differences.map(formatDifference).join('\n')
  if (failing.includes(name)) return html`<failure message="${name}">${lines}</failure>`
  if (inError.includes(name)) return html`<error message="${name}">${lines}</error>`
  return lines && html`<system-out>${lines}</system-out>`
}

const measureMs = ({ recording }: Comparison) =>
  (recording?.native.durationMs ?? 0) + (recording?.core.durationMs ?? 0)

const sumMs = (comparisons: readonly Comparison[]) =>
  comparisons.reduce((sum, comparison) => sum + measureMs(comparison), 0)

const formatSeconds = (durationMs: number) => (durationMs / 1000).toFixed(3)

// JUnit timestamps allow neither fractions of a second nor a UTC offset.
const formatTimestamp = (time: string) => new Date(time).toISOString().slice(0, 19)

const testCase = (comparison: Comparison) =>
  html`<testcase classname="${comparison.label}" name="${comparison.scenario}" time="${formatSeconds(measureMs(comparison))}">${formatOutcome(comparison)}</testcase>`

// A route must not count as passed if none of its successes was compared, so it gets a skipped case.
const formatMissing = (row: RowSummary) => {
  if (isConclusive(row)) return []
  const name = row.comparisons === 0 ? 'nothing was compared' : 'no successful response was compared'
  return [html`<testcase classname="${row.label}" name="${name}" time="0.000"><skipped/></testcase>`]
}

const suite = (row: RowSummary, comparisons: readonly Comparison[], timestamp: string) => {
  const count = (classes: readonly DifferenceClass[]) =>
    comparisons.filter((comparison) => classes.includes(comparison.class)).length
  const missing = formatMissing(row)
  const cases = [...comparisons.map(testCase), ...missing]
  return html`<testsuite name="${row.label}" tests="${cases.length}" failures="${count(failing)}" errors="${count(inError)}" skipped="${missing.length}" time="${formatSeconds(sumMs(comparisons))}" timestamp="${timestamp}">
${joinLines(cases)}
</testsuite>
`
}

const formatWarnings = (warnings: readonly string[], timestamp: string) =>
  warnings.length > 0 &&
  html`<testsuite name="warnings" tests="1" failures="0" errors="0" skipped="0" time="0.000" timestamp="${timestamp}">
<testcase classname="warnings" name="warnings" time="0.000"><system-out>${warnings.join('\n')}</system-out></testcase>
</testsuite>
`

/**
 * Formats a report as JUnit XML, with a suite per route and a case per comparison. A comparison's time is the sum of
 * both response times. A suite's time is the sum of its comparisons' times, even if several use the same response.
 */
export const formatJunit = ({ run, summary }: ParityReport) => {
  const byLabel = Map.groupBy(run.comparisons, ({ label }) => label)
  const timestamp = formatTimestamp(run.startedAt)
  const suites = summary.rows.map((row) => suite(row, byLabel.get(row.label) ?? [], timestamp))
  const report = html`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="parity" time="${formatSeconds(sumMs(run.comparisons))}">
${suites}${formatWarnings(run.warnings, timestamp)}</testsuites>
`
  return replaceForbidden(String(report))
}
