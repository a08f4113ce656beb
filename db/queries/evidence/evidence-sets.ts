import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow } from '../../client/drizzle.ts'
import { evidenceSet } from '../../schema/comparisons.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

export type EvidenceSetRow = typeof evidenceSet.$inferSelect

const setsPerLabel = 20

const isOf = (label: string, evidenceKey: string) =>
  and(eq(evidenceSet.label, label), eq(evidenceSet.evidenceKey, evidenceKey))

export const findEvidenceSet = async (
  db: Reader,
  label: string,
  evidenceKey: string,
): Promise<EvidenceSetRow | null> =>
  firstRow(await db.select().from(evidenceSet).where(isOf(label, evidenceKey)))

export const listAlarmedSets = (db: Reader) =>
  db
    .select({
      label: evidenceSet.label,
      evidenceKey: evidenceSet.evidenceKey,
      alarm: evidenceSet.alarm,
      alarmAt: evidenceSet.alarmAt,
    })
    .from(evidenceSet)
    .where(sql`${evidenceSet.alarm} is not null`)
    .orderBy(asc(evidenceSet.label), desc(evidenceSet.alarmAt))

const seen = sql`seen`

export const listFirstRuns = (db: Reader, label: string) =>
  db
    .select({
      evidenceKey: sql<string>`evidence_key`,
      at: sql`min(at)`.mapWith(evidenceSet.firstAt),
    })
    .from(
      sql`(select evidence_key, first_at as at from evidence_set where label = ${label}
        union all
        select after ->> 'evidenceKey', at from route_audit
        where scope = ${label} and after ->> 'evidenceKey' is not null) as ${seen}`,
    )
    .groupBy(sql`evidence_key`)
    .orderBy(sql`min(at)`)

export const saveEvidenceSet = async (tx: Queryable, set: Omit<EvidenceSetRow, 'firstAt' | 'updatedAt'>) => {
  const { label, evidenceKey, ...values } = set
  await tx
    .insert(evidenceSet)
    .values(set)
    .onConflictDoUpdate({
      target: [evidenceSet.label, evidenceSet.evidenceKey],
      set: { ...values, updatedAt: statementTimestamp },
    })
}

export const updateFoldedSums = async (
  tx: Queryable,
  label: string,
  evidenceKey: string,
  folded: EvidenceSetRow['folded'],
) => {
  await tx.update(evidenceSet).set({ folded }).where(isOf(label, evidenceKey))
}

/**
 * Keeps only the results of the 20 most recently compared versions of each route's code. Also deletes the counts of all
 * other versions, so that an instance that still compares one of them starts over.
 */
export const deleteSurplusEvidence = async (tx: Queryable) => {
  await tx.execute(sql`
    with deleted as (
      delete from evidence_set where (label, evidence_key) in (
        select label, evidence_key from (
          select label, evidence_key,
            row_number() over (partition by label order by updated_at desc, first_at desc) as newest
          from evidence_set
        ) as ranked where newest > ${setsPerLabel}::int)
      returning label, evidence_key
    )
    delete from evidence_counts using deleted
    where (evidence_counts.label, evidence_counts.evidence_key) = (deleted.label, deleted.evidence_key)`)
}
