import type { Queryable } from '#db/client/connection.ts'
import { type NewComparisons, takeNewComparisons } from '#db/queries/evidence/evidence-counts.ts'
import {
  deleteSurplusEvidence,
  findEvidenceSet,
  saveEvidenceSet,
} from '#db/queries/evidence/evidence-sets.ts'
import { tryLock } from '#db/queries/locks.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { extendEvidenceSet } from '../../model/gate/evidence-set.ts'
import type { SequentialTest } from '../../model/gate/sequential-test.ts'
import type { MismatchCause } from '../../model/stop/mismatch-stop.ts'
import { parseEvidenceSet, parseFoldedSums } from './stored-set.ts'

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
