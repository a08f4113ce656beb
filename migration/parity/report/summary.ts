import type { Label } from '#contracts/route-table.ts'
import { type DifferenceClass, selectMostSevere } from '../../diff/verdict.ts'
import type { ComparedRow, Comparison, ParityRun } from './parity-run.ts'
import { type SignatureSummary, summariseSignatures } from './signatures.ts'

type Counts = Readonly<Record<DifferenceClass, number>>

interface StatusCoverage {
  readonly status: number
  readonly documented: boolean
  readonly native: number
  readonly core: number
}

export interface RowSummary {
  readonly label: Label
  readonly method: string
  readonly path: string
  readonly comparisons: number
  /** The most severe class; `null` if there is no comparison. */
  readonly class: DifferenceClass | null
  readonly counts: Counts
  /** Includes the documented statuses and any others that occurred. */
  readonly coverage: readonly StatusCoverage[]
  readonly unseenShapes: readonly string[]
  readonly problems: number
  readonly forbiddingDifferences: number
  readonly isClean: boolean
}

export type RunOutcome = 'pass' | 'regression' | 'could_not_compare' | 'inconclusive'

export const outcomeTexts: Readonly<Record<RunOutcome, string>> = {
  pass: 'native and core agree',
  regression: 'native differs from the core',
  could_not_compare: 'some responses could not be compared',
  inconclusive: 'at least one route was compared only in error cases, or not at all',
}

export interface Summary {
  readonly outcome: RunOutcome
  readonly comparisons: number
  readonly counts: Counts
  readonly coverage: { readonly documented: number; readonly seen: number }
  readonly rows: readonly RowSummary[]
  readonly signatures: readonly SignatureSummary[]
}

const countClasses = (comparisons: readonly Comparison[]): Counts => {
  const count = (name: DifferenceClass) =>
    comparisons.filter((comparison) => comparison.class === name).length
  return {
    equal: count('equal'),
    noise: count('noise'),
    accepted: count('accepted'),
    transient: count('transient'),
    not_comparable: count('not_comparable'),
    regression: count('regression'),
    critical: count('critical'),
    failed: count('failed'),
  }
}

const countStatuses = (
  documented: readonly number[],
  comparisons: readonly Comparison[],
): StatusCoverage[] => {
  const seen = comparisons.flatMap(({ native, core }) => [native, core]).filter((status) => status !== null)
  const statuses = [...new Set([...documented, ...seen])].sort((a, b) => a - b)
  return statuses.map((status) => ({
    status,
    documented: documented.includes(status),
    native: comparisons.filter(({ native }) => native === status).length,
    core: comparisons.filter(({ core }) => core === status).length,
  }))
}

export const harmless: readonly DifferenceClass[] = ['equal', 'noise', 'accepted', 'transient']

/**
 * Whether both sides returned a documented success. If both only return errors, they agree but do not show that the
 * route works.
 */
export const isConclusive = ({ coverage }: Pick<RowSummary, 'coverage'>) =>
  coverage.some(
    ({ status, documented, native, core }) => documented && status < 300 && native > 0 && core > 0,
  )

export const describeOutcome = (row: RowSummary) => {
  if (row.class === null) return 'not compared'
  return harmless.includes(row.class) && !isConclusive(row) ? 'inconclusive' : row.class
}

const countForbidding = (comparisons: readonly Comparison[]) => {
  const forbidding = comparisons
    .flatMap(({ differences }) => differences)
    .filter(({ forbidsPromotion }) => forbidsPromotion)
  return new Set(forbidding.map(({ signature }) => signature)).size
}

const countProblems = ({ regression, critical, failed, not_comparable }: Counts) =>
  regression + critical + failed + not_comparable

const summariseRow = (
  { label, method, path, statuses, unseenShapes }: ComparedRow,
  comparisons: readonly Comparison[],
): RowSummary => {
  const mostSevere =
    comparisons.length === 0 ? null : selectMostSevere(comparisons.map((comparison) => comparison.class))
  const coverage = countStatuses(statuses, comparisons)
  const counts = countClasses(comparisons)
  const problems = countProblems(counts) + (isConclusive({ coverage }) ? 0 : 1)
  const forbiddingDifferences = countForbidding(comparisons)
  return {
    label,
    method,
    path,
    comparisons: comparisons.length,
    class: mostSevere,
    counts,
    coverage,
    unseenShapes,
    problems,
    forbiddingDifferences,
    isClean: problems === 0 && forbiddingDifferences === 0,
  }
}

// A run passes only if every comparison was possible and every route has a compared success.
const selectOutcome = (
  rows: readonly RowSummary[],
  { regression, critical, failed, not_comparable }: Counts,
): RunOutcome => {
  if (regression + critical > 0) return 'regression'
  if (failed + not_comparable > 0) return 'could_not_compare'
  return rows.length > 0 && rows.every(isConclusive) ? 'pass' : 'inconclusive'
}

export const summarise = ({ rows, comparisons }: Pick<ParityRun, 'rows' | 'comparisons'>): Summary => {
  const byLabel = Map.groupBy(comparisons, ({ label }) => label)
  const summaries = rows.map((row) => summariseRow(row, byLabel.get(row.label) ?? []))
  const counts = countClasses(comparisons)
  const documented = summaries.flatMap(({ coverage }) => coverage.filter((status) => status.documented))
  return {
    outcome: selectOutcome(summaries, counts),
    comparisons: comparisons.length,
    counts,
    coverage: {
      documented: documented.length,
      seen: documented.filter(({ native, core }) => native > 0 && core > 0).length,
    },
    rows: summaries,
    signatures: summariseSignatures(comparisons),
  }
}

export interface ParityReport {
  readonly version: 2
  readonly run: ParityRun
  readonly summary: Summary
}

export const createReport = (run: ParityRun): ParityReport => ({ version: 2, run, summary: summarise(run) })

export const formatParityJson = (report: ParityReport) => `${JSON.stringify(report, null, 2)}\n`
