import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { listComparedDays } from '#db/queries/evidence/evidence-counts.ts'
import { findEvidenceSet } from '#db/queries/evidence/evidence-sets.ts'
import { listSevereMismatches } from '#db/queries/evidence/mismatches.ts'
import { listRouteUsage } from '#db/queries/routing/route-usage.ts'
import { dayMs, minuteMs } from '#shared/durations.ts'
import { mergeAccountSamples } from '../../model/gate/account-sample.ts'
import { addComparisonSums, addCounts, type ComparisonSums } from '../../model/gate/comparison-sums.ts'
import type { ComparisonEvidence, StatusCoverage } from '../../model/gate/gate-input.ts'
import { parseEvidenceSet, parseFoldedSums } from './evidence-sets.ts'

export interface StoredComparisons {
  readonly sums: ComparisonSums
  readonly evidence: ComparisonEvidence
  /** When a comparison last raised an alarm, in Unix milliseconds; null if never. */
  readonly alarmAt: number | null
  /** When a leak or regression was last found, in Unix milliseconds; 0 if none is stored. */
  readonly differenceAt: number
}

// The period starts at the beginning of yesterday, because counts are stored by day.
const computeRate = (recentComparisons: number, firstAt: number, now: number) => {
  const since = Math.max(firstAt, Math.floor(now / dayMs) * dayMs - dayMs)
  return recentComparisons / Math.max(1, (now - since) / minuteMs)
}

/** The same number of days as in `listRouteUsage`. */
const usageDays = 7

const sumResponses = (statuses: Readonly<Record<string, number>>) =>
  Object.values(statuses).reduce((sum, responses) => sum + responses, 0)

const toCoverage = (
  responses: Readonly<Record<string, number>>,
  compared: Readonly<Record<string, number>>,
): readonly StatusCoverage[] =>
  Object.entries(responses).map(([status, count]) => ({
    status: Number(status),
    responses: count,
    comparisons: compared[status] ?? 0,
  }))

/** Returns what is stored about the comparisons of one code; null if no evaluation has counted any yet. */
export const readComparisons = async (
  db: Reader,
  label: Label,
  evidenceKey: string,
  now: number,
): Promise<StoredComparisons | null> => {
  const row = await findEvidenceSet(db, label, evidenceKey)
  if (row === null) return null
  const { test, alarm, alarmAt } = parseEvidenceSet(row)
  const days = await listComparedDays(db, label, evidenceKey)
  const usage = await listRouteUsage(db, label)
  const sums = addComparisonSums([parseFoldedSums(row), ...days])
  const recent = days.filter(({ isRecent }) => isRecent)
  const firstAt = Date.parse(row.firstAt)
  const severe =
    sums.regressions + sums.critical > 0 ? await listSevereMismatches(db, label, evidenceKey) : []
  const statuses = addCounts(usage.map((day) => day.statuses))
  const evidence: ComparisonEvidence = {
    evidenceKey,
    test,
    firstAt,
    coreRequestsPerDay: sumResponses(statuses) / usageDays,
    comparisonsPerMinute: computeRate(addComparisonSums(recent).comparisons, firstAt, now),
    transients: sums.transients,
    copies: sums.copies,
    drops: sums.drops,
    statuses: toCoverage(statuses, sums.statuses),
    shapes: Object.entries(addCounts(usage.map(({ shapes }) => shapes))).map(([shape, responses]) => ({
      shape,
      responses,
      comparisons: sums.shapes[shape] ?? 0,
    })),
    accounts: sums.accounts,
    activeAccounts: mergeAccountSamples(usage.map(({ accounts }) => accounts)),
    alarm,
    mainDifference: severe[0] ?? null,
  }
  const differenceAt = Math.max(0, ...severe.map(({ lastAt }) => Date.parse(lastAt)))
  return { sums, evidence, alarmAt, differenceAt }
}
