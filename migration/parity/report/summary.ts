import type { Label } from '#contracts/route-table.ts'
import {
  type Difference,
  type DifferenceClass,
  differenceClasses,
  selectMostSevere,
} from '../../diff/verdict.ts'
import type { ComparedRow, Comparison, ParityRun } from './parity-run.ts'

type Counts = Readonly<Record<DifferenceClass, number>>

interface SeenStatus {
  readonly status: number
  readonly documented: boolean
  readonly native: number
  readonly core: number
}

export interface RowSummary extends Pick<ComparedRow, 'label' | 'method' | 'path' | 'unseenShapes'> {
  readonly comparisons: number
  /** The most severe class; `null` if there is no comparison. */
  readonly class: DifferenceClass | null
  readonly counts: Counts
  readonly coverage: readonly SeenStatus[]
  readonly problems: number
  readonly forbiddingDifferences: number
  readonly isClean: boolean
}

type RunOutcome = 'pass' | 'regression' | 'could_not_compare' | 'inconclusive'

export const outcomeTexts: Readonly<Record<RunOutcome, string>> = {
  pass: 'native and core agree',
  regression: 'native differs from the core',
  could_not_compare: 'some responses could not be compared',
  inconclusive: 'at least one route was compared only in error cases, or not at all',
}

export const runExitCodes: Readonly<Record<RunOutcome | 'not_removed' | 'not_posted', number>> = {
  pass: 0,
  regression: 1,
  could_not_compare: 2,
  inconclusive: 3,
  not_removed: 4,
  not_posted: 5,
}

export const runExitCodeNotes = [
  'exit codes:',
  '  0  native and core agree',
  '  1  native differs from the core',
  '  2  a comparison was attempted but failed, or its responses were not comparable; or the command did not finish',
  '  3  inconclusive: no comparison of a route was attempted, or only of error cases',
  '  4  native and core agree, but something that parity created could not be removed',
  '  5  contract --post was rejected before the run, or native and core agree but posting failed',
] as const

export interface SignatureSummary
  extends Pick<Difference, 'signature' | 'kind' | 'path' | 'class' | 'blame' | 'example'> {
  readonly label: Label
  readonly comparisons: number
  readonly places: number
  readonly scenarios: readonly string[]
  readonly reason: string | null
  readonly forbidsPromotion: boolean
}

export interface Summary {
  readonly outcome: RunOutcome
  readonly comparisons: number
  readonly counts: Counts
  readonly coverage: { readonly documented: number; readonly seen: number }
  readonly rows: readonly RowSummary[]
  readonly signatures: readonly SignatureSummary[]
}

const countClasses = (comparisons: readonly Comparison[]) =>
  Object.fromEntries(
    differenceClasses.map((name) => [name, comparisons.filter((each) => each.class === name).length]),
  ) as Counts

const countStatuses = (documented: readonly number[], comparisons: readonly Comparison[]): SeenStatus[] => {
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
  { statuses, evidenceKey: _, ...row }: ComparedRow,
  comparisons: readonly Comparison[],
): RowSummary => {
  const mostSevere =
    comparisons.length === 0 ? null : selectMostSevere(comparisons.map((comparison) => comparison.class))
  const coverage = countStatuses(statuses, comparisons)
  const counts = countClasses(comparisons)
  const problems = countProblems(counts) + (isConclusive({ coverage }) ? 0 : 1)
  const forbiddingDifferences = countForbidding(comparisons)
  return {
    ...row,
    comparisons: comparisons.length,
    class: mostSevere,
    counts,
    coverage,
    problems,
    forbiddingDifferences,
    isClean: problems === 0 && forbiddingDifferences === 0,
  }
}

interface Occurrence {
  readonly comparison: Comparison
  readonly difference: Difference
}

const maxScenarios = 5

const summariseSignature = (occurrences: readonly [Occurrence, ...Occurrence[]]): SignatureSummary => {
  const mostSevere = selectMostSevere(occurrences.map(({ difference }) => difference.class))
  const { comparison, difference } =
    occurrences.find((occurrence) => occurrence.difference.class === mostSevere) ?? occurrences[0]
  const { signature, kind, path, blame, example, reason = null } = difference
  return {
    signature,
    label: comparison.label,
    kind,
    path,
    class: mostSevere,
    blame,
    comparisons: occurrences.length,
    places: occurrences.reduce((sum, occurrence) => sum + occurrence.difference.count, 0),
    scenarios: [...new Set(occurrences.map((occurrence) => occurrence.comparison.scenario))].slice(
      0,
      maxScenarios,
    ),
    example,
    reason,
    forbidsPromotion: occurrences.some((occurrence) => occurrence.difference.forbidsPromotion),
  }
}

const severity = ({ class: name }: SignatureSummary) => differenceClasses.indexOf(name)

const summariseSignatures = (comparisons: readonly Comparison[]): SignatureSummary[] => {
  const occurrences = comparisons.flatMap((comparison) =>
    comparison.differences.map((difference) => ({ comparison, difference })),
  )
  return [...Map.groupBy(occurrences, ({ difference }) => difference.signature).values()]
    .flatMap(([first, ...others]) => (first ? [summariseSignature([first, ...others])] : []))
    .sort((a, b) => severity(b) - severity(a) || b.comparisons - a.comparisons)
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
