import type { Database, Queryable } from '#db/client/connection.ts'
import {
  type NewComparisons,
  takeNewComparisons,
  takeOldComparedDays,
} from '#db/queries/evidence/evidence-counts.ts'
import {
  deleteSurplusEvidence,
  type EvidenceSetRow,
  findEvidenceSet,
  saveEvidenceSet,
  updateFoldedSums,
} from '#db/queries/evidence/evidence-sets.ts'
import { deleteOldMismatches } from '#db/queries/evidence/mismatches.ts'
import { tryLock } from '#db/queries/locks.ts'
import { deleteOldRouteUsage } from '#db/queries/routing/route-usage.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { addComparisonSums, ComparisonSums, noComparisonSums } from '../../model/gate/comparison-sums.ts'
import {
  createEvidenceSet,
  type EvidenceSet,
  extendEvidenceSet,
  type MismatchCause,
} from '../../model/gate/evidence-set.ts'
import { type SequentialTest, SequentialTestState } from '../../model/gate/sequential-test.ts'
import { CusumStream } from '../../model/stop/stored-observations.ts'
import { inBatches } from '../periodic-work.ts'

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

interface ComparisonAlarm {
  readonly label: string
  readonly evidenceKey: string
  readonly cause: MismatchCause
}

/** Takes the lock for gate evaluation until the transaction ends. Returns false if another instance holds it. */
export const lockGateEvaluation = (tx: Queryable) => tryLock(tx, 'gate evaluation')

const addToSet = async (
  tx: Queryable,
  { label, evidenceKey, ...added }: NewComparisons,
  test: SequentialTest,
): Promise<readonly ComparisonAlarm[]> => {
  const row = await findEvidenceSet(tx, label, evidenceKey)
  const before = parseEvidenceSet(row)
  const { alarmAt, ...set } = extendEvidenceSet(before, added, test, await findDatabaseTimeMs(tx))
  await saveEvidenceSet(tx, {
    label,
    evidenceKey,
    ...set,
    alarmAt: alarmAt === null ? null : new Date(alarmAt).toISOString(),
    folded: parseFoldedSums(row ?? { folded: null }),
  })
  return set.alarm === null || set.alarm === before.alarm ? [] : [{ label, evidenceKey, cause: set.alarm }]
}

/**
 * Adds the comparisons made since the last call to the evidence for their code, in one transaction so that nothing is
 * added twice. Does nothing while another instance is evaluating. Returns the new alarms.
 */
export const addNewComparisons = async (
  tx: Queryable,
  test: SequentialTest,
): Promise<readonly ComparisonAlarm[]> => {
  if (!(await lockGateEvaluation(tx))) return []
  const found = await takeNewComparisons(tx)
  const alarms: ComparisonAlarm[] = []
  for (const added of found) alarms.push(...(await addToSet(tx, added, test)))
  if (found.length > 0) await deleteSurplusEvidence(tx)
  return alarms
}

// Small enough for a statement to finish within the control connections' timeout. 20 batches are enough for the rows
// that instances write on a day with 200 starts.
const defaultBatch = 500

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

/** Adds counts older than 8 days to the sums of their code, and deletes old usage and mismatches. */
export const retainEvidence = async (db: Database['db'], batch = defaultBatch): Promise<void> => {
  if (!(await inBatches(batch, () => db.transaction((tx) => foldOldDays(tx, batch))))) return
  for (const deleteOld of [deleteOldRouteUsage, deleteOldMismatches])
    await inBatches(batch, () => deleteOld(db, batch))
}
