import { randomBytes } from 'node:crypto'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { acceptedDifferences } from '../accepted-differences.ts'
import { createMask } from '../diff/mask.ts'
import { createReport, type ParityReport } from '../report/parity-json.ts'
import type { ComparedRow } from '../report/parity-run.ts'
import type { Deployments } from './run-scenario.ts'
import { type RunOptions, runScenarios } from './run-scenarios.ts'
import type { Scenario } from './scenario.ts'

export interface ComparisonOptions {
  readonly deployments: Deployments
  readonly scenarios: readonly Scenario[]
  /** The routes that are to be compared, with the statuses that each documents. */
  readonly routes: ReadonlyMap<Label, readonly number[]>
  /** Makes what is told of each scenario that is through, out of their number. */
  readonly createProgress: (total: number) => RunOptions['onProgress']
}

// Both sides and their database work on the same few cores as the run itself.
const usualAtOnce = 8

const rowsOf = (routes: ComparisonOptions['routes']): ComparedRow[] =>
  Array.from(routes, ([label, statuses]) => {
    const { method, path } = rowOf(label)
    return { label, method, path, statuses: [...statuses] }
  })

// An address may carry a password.
const shown = (origin: string) => {
  const { protocol, host } = new URL(origin)
  return `${protocol}//${host}`
}

/** Compares two deployments route by route and reports what was seen. */
export const compareDeployments = async ({
  deployments,
  scenarios,
  routes,
  createProgress,
}: ComparisonOptions): Promise<ParityReport> => {
  const startedAt = new Date().toISOString()
  const labels: ReadonlySet<string> = new Set(routes.keys())
  const compared = scenarios.filter(({ label }) => routes.has(label))
  const comparisons = await runScenarios(compared, {
    deployments,
    rules: {
      accepted: acceptedDifferences,
      today: startedAt.slice(0, 10),
      mask: createMask(randomBytes(16).toString('hex')),
    },
    atOnce: deployments.accounts.areFresh ? usualAtOnce : 1,
    onProgress: createProgress(compared.length),
  })
  return createReport({
    startedAt,
    finishedAt: new Date().toISOString(),
    native: shown(deployments.native.origin),
    core: shown(deployments.core.origin),
    rows: rowsOf(routes),
    // A route that is only read back after another one's write may be beside the point of this run.
    comparisons: comparisons.filter(({ label }) => labels.has(label)),
  })
}
