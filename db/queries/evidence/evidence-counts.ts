import { and, eq, gte, lt, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { evidenceCounts } from '../../schema/comparisons.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

type EvidenceCountsRow = typeof evidenceCounts.$inferSelect

export type ComparedDay = Omit<
  EvidenceCountsRow,
  'addedComparisons' | 'addedRegressions' | 'addedCritical' | 'updatedAt'
>

export interface NewComparisons {
  readonly label: string
  readonly evidenceKey: string
  readonly comparisons: number
  readonly regressions: number
  readonly critical: number
}

const { label, evidenceKey, instanceId, day } = evidenceCounts
const excluded = (name: string) => sql.raw(`excluded.${name}`)
// Every event increments one of these counts, so of two rows, the one with the higher sum is newer.
const eventNames = ['comparisons', 'not_comparable', 'repeated', 'copies', 'drops'] as const
const sumEvents = (table: string) => sql.raw(eventNames.map((name) => `${table}.${name}`).join(' + '))

/** Because they only grow, a delayed statement that completes after a newer one changes nothing. */
export const saveEvidenceCounts = async (db: Queryable, rows: readonly ComparedDay[]) => {
  if (rows.length === 0) return
  await db
    .insert(evidenceCounts)
    .values(rows.map((row) => ({ ...row, updatedAt: statementTimestamp })))
    .onConflictDoUpdate({
      target: [label, evidenceKey, instanceId, day],
      set: {
        comparisons: excluded('comparisons'),
        regressions: excluded('regressions'),
        critical: excluded('critical'),
        transients: excluded('transients'),
        notComparable: excluded('not_comparable'),
        repeated: excluded('repeated'),
        copies: excluded('copies'),
        drops: excluded('drops'),
        statuses: excluded('statuses'),
        shapes: excluded('shapes'),
        accounts: excluded('accounts'),
        updatedAt: excluded('updated_at'),
      },
      setWhere: sql`${sumEvents('excluded')} >= ${sumEvents('evidence_counts')}`,
    })
}

/** Skips rows that an instance is writing; the next call returns those. */
export const takeNewComparisons = async (tx: Queryable): Promise<readonly NewComparisons[]> => [
  ...(await tx.execute<NewComparisons & Record<string, unknown>>(sql`
    with found as (
      select label, evidence_key, instance_id, day, comparisons - added_comparisons as comparisons,
        regressions - added_regressions as regressions, critical - added_critical as critical
      from evidence_counts
      where comparisons > added_comparisons or regressions > added_regressions or critical > added_critical
      for update skip locked
    ), marked as (
      update evidence_counts as counted set added_comparisons = counted.comparisons,
        added_regressions = counted.regressions, added_critical = counted.critical
      from found
      where (counted.label, counted.evidence_key, counted.instance_id, counted.day)
        = (found.label, found.evidence_key, found.instance_id, found.day)
    )
    select label, evidence_key as "evidenceKey", sum(comparisons)::int as comparisons,
      sum(regressions)::int as regressions, sum(critical)::int as critical
    from found group by 1, 2 order by 1, 2`)),
]

export const listComparedDays = (db: Reader, ofLabel: string, key: string) =>
  db
    .select({
      comparisons: evidenceCounts.comparisons,
      regressions: evidenceCounts.regressions,
      critical: evidenceCounts.critical,
      transients: evidenceCounts.transients,
      notComparable: evidenceCounts.notComparable,
      repeated: evidenceCounts.repeated,
      copies: evidenceCounts.copies,
      drops: evidenceCounts.drops,
      statuses: evidenceCounts.statuses,
      shapes: evidenceCounts.shapes,
      accounts: evidenceCounts.accounts,
      isRecent: gte(day, sql`(statement_timestamp() at time zone 'UTC')::date - 1`).mapWith(Boolean),
    })
    .from(evidenceCounts)
    .where(and(eq(label, ofLabel), eq(evidenceKey, key)))

export const takeOldComparedDays = async (tx: Queryable, limit: number): Promise<readonly ComparedDay[]> => {
  const old = tx
    .select({ label, evidenceKey, instanceId, day })
    .from(evidenceCounts)
    .where(lt(day, sql`(statement_timestamp() at time zone 'UTC')::date - 8`))
    .orderBy(day)
    .limit(limit)
  return tx
    .delete(evidenceCounts)
    .where(sql`(${label}, ${evidenceKey}, ${instanceId}, ${day}) in ${old}`)
    .returning()
}
