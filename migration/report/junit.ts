import type { DifferenceClass } from '../diff/verdict.ts'
import { escaped } from './markup.ts'
import type { ParityReport } from './parity-json.ts'
import type { Comparison, ReportedDifference } from './parity-run.ts'

const failing: readonly DifferenceClass[] = ['regression', 'critical']
const inError: readonly DifferenceClass[] = ['not_comparable', 'failed']

const lineOf = ({ class: grade, kind, path, blame, example, reason }: ReportedDifference) =>
  [
    `${grade}: ${kind} at ${example.path} (${path}), blame ${blame}`,
    `native ${example.native ?? 'nothing'}, core ${example.core ?? 'nothing'}`,
    ...(reason === undefined ? [] : [reason]),
  ].join('; ')

const elementOf = (name: string, comparison: Comparison) => {
  const lines = comparison.differences.map(lineOf).join('\n')
  return `<${name} message="${escaped(comparison.class)}">${escaped(lines)}</${name}>`
}

const outcomeOf = (comparison: Comparison) => {
  if (failing.includes(comparison.class)) return elementOf('failure', comparison)
  if (inError.includes(comparison.class)) return elementOf('error', comparison)
  const lines = comparison.differences.map(lineOf).join('\n')
  return lines && `<system-out>${escaped(lines)}</system-out>`
}

const testCase = (comparison: Comparison) =>
  `<testcase classname="${escaped(comparison.label)}" name="${escaped(comparison.scenario)}">${outcomeOf(comparison)}</testcase>`

const suite = (label: string, comparisons: readonly Comparison[]) => {
  const count = (classes: readonly DifferenceClass[]) =>
    comparisons.filter((comparison) => classes.includes(comparison.class)).length
  // A route that was never compared is no passed one.
  const cases =
    comparisons.length === 0
      ? [`<testcase classname="${escaped(label)}" name="nothing was compared"><skipped/></testcase>`]
      : comparisons.map(testCase)
  const skipped = comparisons.length === 0 ? 1 : 0
  return [
    `<testsuite name="${escaped(label)}" tests="${cases.length}" failures="${count(failing)}" errors="${count(inError)}" skipped="${skipped}">`,
    ...cases,
    '</testsuite>',
  ].join('\n')
}

/** A report as JUnit XML: a suite for each route, a case for each comparison. */
export const junitOf = ({ run: { rows, comparisons } }: ParityReport) => {
  const byLabel = Map.groupBy(comparisons, ({ label }) => label)
  const labels = new Set([...rows.map(({ label }) => label), ...byLabel.keys()])
  const suites = [...labels].map((label) => suite(label, byLabel.get(label) ?? []))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="parity">',
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}
