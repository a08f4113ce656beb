import { randomBytes } from 'node:crypto'
import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, rowOf } from '#contracts/shared/row.ts'
import { warnOfExpiry } from '../../diff/accepted.ts'
import { createMask } from '../../diff/mask.ts'
import { acceptedDifferences } from '../accepted-differences.ts'
import type { ComparedRow } from '../report/parity-run.ts'
import {
  createReport,
  isConclusive,
  type ParityReport,
  type RowSummary,
  summarise,
} from '../report/summary.ts'
import { createRecorder } from './recorder.ts'
import { type RunOptions, runScenarios } from './run-scenarios.ts'
import type { Scenario } from './scenario.ts'
import type { Deployments } from './scenario-context.ts'

export interface ComparisonOptions {
  readonly deployments: Deployments
  readonly scenarios: readonly Scenario[]
  readonly routes: ReadonlyMap<Label, readonly number[]>
  /** Evidence keys of the native code, if this machine has the code. Default to unknown. */
  readonly evidenceKeys?: ReadonlyMap<Label, string>
  readonly commit?: string | null
  readonly expectedSuccesses?: readonly Label[]
  readonly now?: () => Date
  /** Routes whose scenarios do not run, and why. Their result is `not compared`. Defaults to none. */
  readonly notCompared?: ReadonlyMap<Label, string>
  readonly warnings?: readonly string[]
  readonly createProgress: (total: number) => RunOptions['onProgress']
}

// Low, because both sides, their database and the run usually share the processors of one machine.
const defaultConcurrency = 8

// A URL may contain credentials.
const withoutCredentials = (origin: string) => {
  const { protocol, host } = new URL(origin)
  return `${protocol}//${host}`
}

const whyNotCompared = (label: Label) =>
  isTwoSided(label)
    ? 'not compared: it has no handler or is not part of this run'
    : 'only native serves it, so its own tests must show that it succeeds'

export const describeSuccessGaps = (
  labels: readonly Label[],
  rows: readonly RowSummary[],
  succeeded: ReadonlySet<Label>,
): string[] => {
  const summaries = new Map(rows.map((row) => [row.label, row]))
  return labels.flatMap((label) => {
    const row = summaries.get(label)
    if (row === undefined)
      return succeeded.has(label) ? [] : [`${label}: no scenario sees it succeed (${whyNotCompared(label)})`]
    return isConclusive(row)
      ? []
      : [`${label}: no scenario sees it succeed on both sides (add a scenario for it)`]
  })
}

export const compareDeployments = async ({
  deployments,
  scenarios,
  routes,
  evidenceKeys = new Map(),
  commit = null,
  expectedSuccesses = [],
  notCompared = new Map(),
  now = () => new Date(),
  warnings = [],
  createProgress,
}: ComparisonOptions): Promise<ParityReport> => {
  const startedAt = now().toISOString()
  const today = startedAt.slice(0, 10)
  const isCompared = (label: Label) => routes.has(label) && !notCompared.has(label)
  const compared = scenarios.filter(({ label }) => isCompared(label))
  const { journal } = deployments.session
  const mask = createMask(randomBytes(16).toString('hex'))
  const recorder = createRecorder(mask)
  let scenariosNeedingRows = 0
  const allComparisons = await runScenarios(compared, {
    deployments,
    isCompared,
    rules: { accepted: acceptedDifferences, today, mask },
    recorder,
    concurrency: deployments.accounts.hasFreshAccounts ? defaultConcurrency : 1,
    onProgress: createProgress(compared.length),
    onNeedsRows: () => {
      scenariosNeedingRows++
    },
  }).finally(() => journal.removeKept())
  // A read-back after a write may use a route that this run does not compare.
  const comparisons = allComparisons.filter(({ label }) => routes.has(label))
  const rows = Array.from(routes, ([label, statuses]): ComparedRow => {
    const { method, path } = rowOf(label)
    // Without a key, `--post` leaves an earlier result of this code as it is.
    const evidenceKey = notCompared.has(label) ? null : (evidenceKeys.get(label) ?? null)
    return { label, method, path, statuses, evidenceKey, unseenShapes: recorder.listUnseenShapes(label) }
  })
  const { rows: summaries } = summarise({ rows, comparisons })
  return createReport({
    startedAt,
    finishedAt: now().toISOString(),
    native: withoutCredentials(deployments.native.origin),
    core: withoutCredentials(deployments.core.origin),
    commit,
    rows,
    comparisons,
    ...recorder.recordings,
    warnings: [
      ...warnings,
      ...warnOfExpiry(acceptedDifferences, today),
      ...(scenariosNeedingRows > 0
        ? [
            `${scenariosNeedingRows} scenarios not compared: they need rows that no route stores, so only npm run contract compares them`,
          ]
        : []),
      ...Array.from(notCompared, ([label, reason]) => `${label}: not compared (${reason})`),
      ...describeSuccessGaps(
        expectedSuccesses.filter((label) => !notCompared.has(label)),
        summaries,
        journal.succeeded,
      ),
    ],
  })
}
