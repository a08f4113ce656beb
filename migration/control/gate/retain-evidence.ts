import type { Database, Queryable } from '#db/client/connection.ts'
import { takeOldComparedDays } from '#db/queries/evidence/evidence-counts.ts'
import { findEvidenceSet, updateFoldedSums } from '#db/queries/evidence/evidence-sets.ts'
import { deleteOldMismatches } from '#db/queries/evidence/mismatches.ts'
import { deleteOldRouteUsage } from '#db/queries/routing/route-usage.ts'
import { addComparisonSums } from '../../model/gate/comparison-sums.ts'
import { inBatches } from '../retention.ts'
import { lockGateEvaluation } from './add-new-comparisons.ts'
import { parseFoldedSums } from './stored-set.ts'

/**
 * Small enough for a statement to finish within the control connections' timeout. 20 batches are enough for the rows
 * that instances write on a day with 200 starts.
 */
const defaultBatch = 500

// Returns null if another instance is evaluating or deleting.
const foldOldDays = async (tx: Queryable, limit: number): Promise<number | null> => {
  if (!(await lockGateEvaluation(tx))) return null
  const days = await takeOldComparedDays(tx, limit)
  const byCode = Map.groupBy(days, ({ label, evidenceKey }) => `${label} ${evidenceKey}`)
  for (const ofCode of byCode.values()) {
    const [{ label, evidenceKey } = { label: '', evidenceKey: '' }] = ofCode
    const set = await findEvidenceSet(tx, label, evidenceKey)
    if (set)
      await updateFoldedSums(tx, label, evidenceKey, addComparisonSums([parseFoldedSums(set), ...ofCode]))
  }
  return days.length
}

/**
 * Adds counts older than 8 days to the sums of their code, and deletes old usage and mismatches. Works in batches, each
 * in its own transaction. Does nothing while another instance is doing so.
 */
export const retainEvidence = async (db: Database['db'], batch = defaultBatch): Promise<void> => {
  if (!(await inBatches(batch, () => db.transaction((tx) => foldOldDays(tx, batch))))) return
  for (const deleteOld of [deleteOldRouteUsage, deleteOldMismatches])
    await inBatches(batch, () => deleteOld(db, batch))
}
