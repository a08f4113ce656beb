import * as z from 'zod'
import { type DifferenceClass, differenceClasses, selectMostSevere } from '../../diff/verdict.ts'
import type { ComparedRow, Comparison, ParityRun } from './parity-run.ts'
import { SignatureSummary, summariseSignatures } from './signatures.ts'

const Count = z.int().min(0)

const Counts = z.strictObject({
  equal: Count,
  noise: Count,
  accepted: Count,
  transient: Count,
  not_comparable: Count,
  regression: Count,
  critical: Count,
  failed: Count,
} satisfies Record<DifferenceClass, z.ZodType>)
type Counts = z.infer<typeof Counts>

const Coverage = z.strictObject({ status: z.int(), documented: z.boolean(), native: Count, core: Count })

const RowSummary = z.strictObject({
  label: z.string(),
  method: z.string(),
  path: z.string(),
  comparisons: Count,
  /** The most severe class; `null` if there is no comparison. */
  class: z.enum(differenceClasses).nullable(),
  counts: Counts,
  /** How often each side returned each status. Includes the documented statuses and any others that occurred. */
  coverage: z.array(Coverage),
  unseenShapes: z.array(z.string()).optional(),
  /** Comparisons that found a regression or a leak or were not possible, plus one if no success was compared. */
  problems: Count,
  /** Accepted differences that forbid promotion. */
  forbiddingDifferences: Count,
  /** Whether this run allows the route to be promoted. */
  isClean: z.boolean(),
})
export type RowSummary = z.infer<typeof RowSummary>

const outcomes = ['pass', 'regression', 'could_not_compare', 'inconclusive'] as const
export type RowOutcome = (typeof outcomes)[number]

export const Summary = z.strictObject({
  outcome: z.enum(outcomes),
  comparisons: Count,
  counts: Counts,
  coverage: z.strictObject({ documented: Count, seen: Count }),
  rows: z.array(RowSummary),
  signatures: z.array(SignatureSummary),
})
export type Summary = z.infer<typeof Summary>

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

const countStatuses = (documented: readonly number[], comparisons: readonly Comparison[]) => {
  const seen = comparisons.flatMap(({ native, core }) => [native, core]).filter((status) => status !== null)
  const statuses = [...new Set([...documented, ...seen])].sort((a, b) => a - b)
  return statuses.map((status) => ({
    status,
    documented: documented.includes(status),
    native: comparisons.filter(({ native }) => native === status).length,
    core: comparisons.filter(({ core }) => core === status).length,
  }))
}

const harmless: readonly DifferenceClass[] = ['equal', 'noise', 'accepted', 'transient']

/**
 * Whether both sides returned a documented success. If both only return errors, they agree but do not show that the
 * route works.
 */
export const isConclusive = ({ coverage }: Pick<RowSummary, 'coverage'>) =>
  coverage.some(
    ({ status, documented, native, core }) => documented && status < 300 && native > 0 && core > 0,
  )

/** Describes a route's result: its class, `inconclusive` or `not compared`. */
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
    ...(unseenShapes === undefined ? {} : { unseenShapes }),
    problems,
    forbiddingDifferences,
    isClean: problems === 0 && forbiddingDifferences === 0,
  }
}

// A run passes only if every comparison was possible and every route has a compared success.
const selectOutcome = (
  rows: readonly RowSummary[],
  { regression, critical, failed, not_comparable }: Counts,
): RowOutcome => {
  if (regression + critical > 0) return 'regression'
  if (failed + not_comparable > 0) return 'could_not_compare'
  return rows.length > 0 && rows.every(isConclusive) ? 'pass' : 'inconclusive'
}

/** Summarizes a run: counts per route and class, coverage of statuses, and the outcome. */
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
