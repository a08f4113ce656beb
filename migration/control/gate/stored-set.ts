import type { EvidenceSetRow } from '#db/queries/evidence/evidence-sets.ts'
import { ComparisonSums, noComparisonSums } from '../../model/gate/comparison-sums.ts'
import { createEvidenceSet, type EvidenceSet } from '../../model/gate/evidence-set.ts'
import { SequentialTestState } from '../../model/gate/sequential-test.ts'
import { CusumStream } from '../../model/stop/stored-observations.ts'

/** Parses a stored set. If another release stored it in a different form, the set starts over but keeps its alarm. */
export const parseEvidenceSet = (row: EvidenceSetRow | null): EvidenceSet => {
  const empty = createEvidenceSet()
  if (row === null) return empty
  const [test, mismatches] = [SequentialTestState.safeParse(row.test), CusumStream.safeParse(row.mismatches)]
  return {
    ...(test.success && mismatches.success ? { test: test.data, mismatches: mismatches.data } : empty),
    alarm: row.alarm,
    alarmAt: row.alarmAt === null ? null : Date.parse(row.alarmAt),
    critical: row.critical,
  }
}

/** Returns the counts of a set's deleted days. */
export const parseFoldedSums = ({ folded }: Pick<EvidenceSetRow, 'folded'>): ComparisonSums =>
  ComparisonSums.safeParse(folded).data ?? noComparisonSums
