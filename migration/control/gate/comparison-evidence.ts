import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { listComparedDays } from '#db/queries/evidence/evidence-counts.ts'
import { findEvidenceSet } from '#db/queries/evidence/evidence-sets.ts'
import { findMainMismatch } from '#db/queries/evidence/mismatches.ts'
import { listRouteUsage } from '#db/queries/routing/route-usage.ts'
import { mergeAccountSamples } from '../../model/gate/account-sample.ts'
import { addComparisonSums, addStatuses, type ComparisonSums } from '../../model/gate/comparison-sums.ts'
import type { ComparisonEvidence, StatusCoverage } from '../../model/gate/gate-input.ts'
import { parseEvidenceSet, parseFoldedSums } from './stored-set.ts'

/** What is stored about the comparisons of one code of a route. */
export interface StoredComparisons {
  readonly sums: ComparisonSums
  readonly evidence: ComparisonEvidence
  /** When the first was counted, and when one last raised an alarm, in milliseconds since the epoch of Unix. */
  readonly firstAt: number
  readonly alarmAt: number | null
}

const dayMs = 86_400_000
const minuteMs = 60_000

// Since yesterday began, because the counts are those of days.
const computeRate = (recentComparisons: number, firstAt: number, now: number) => {
  const since = Math.max(firstAt, Math.floor(now / dayMs) * dayMs - dayMs)
  return recentComparisons / Math.max(1, (now - since) / minuteMs)
}

const toCoverage = (
  responses: Readonly<Record<string, number>>,
  compared: Readonly<Record<string, number>>,
): readonly StatusCoverage[] =>
  Object.entries(responses).map(([status, count]) => ({
    status: Number(status),
    responses: count,
    comparisons: compared[status] ?? 0,
  }))

/** What is stored about the comparisons of one code; null if no evaluation has counted any. `now` is the database's. */
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
  const evidence: ComparisonEvidence = {
    evidenceKey,
    test,
    comparisonsPerMinute: computeRate(addComparisonSums(recent).comparisons, firstAt, now),
    transients: sums.transients,
    copies: sums.copies,
    drops: sums.drops,
    statuses: toCoverage(addStatuses(usage.map(({ statuses }) => statuses)), sums.statuses),
    accounts: sums.accounts,
    activeAccounts: mergeAccountSamples(usage.map(({ accounts }) => accounts)),
    alarm,
    mainDifference:
      sums.regressions + sums.critical > 0 ? await findMainMismatch(db, label, evidenceKey) : null,
  }
  return { sums, evidence, firstAt, alarmAt }
}
