import { and, desc, eq, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow } from '../../client/drizzle.ts'
import { contractResult } from '../../schema/route-evidence.ts'

export type ContractResultRow = typeof contractResult.$inferSelect

const defaultLimits = { keysPerLabel: 20, rows: 5000 }

const identify = ({ label, evidenceKey }: Pick<ContractResultRow, 'label' | 'evidenceKey'>) =>
  `${label} ${evidenceKey}`

const deleteSurplus = async (tx: Queryable, { keysPerLabel, rows }: typeof defaultLimits) => {
  const { label, evidenceKey } = contractResult
  return tx
    .delete(contractResult)
    .where(
      sql`(${label}, ${evidenceKey}) in (
        select label, evidence_key from (
          select label, evidence_key,
            row_number() over (partition by label order by at desc, evidence_key) as of_label,
            row_number() over (order by at desc, label, evidence_key) as of_all
          from contract_result
        ) as ranked where of_label > ${keysPerLabel}::int or of_all > ${rows}::int)`,
    )
    .returning({ label, evidenceKey })
}

/**
 * Stores results, at most one per label, in place of older results for the same code, and deletes surplus ones. Returns
 * the labels whose results were kept; for the others, newer results are stored. Idempotent.
 */
export const saveContractResults = async (
  tx: Queryable,
  results: readonly ContractResultRow[],
  limits = defaultLimits,
): Promise<readonly string[]> => {
  if (results.length === 0) return []
  // Without this lock, concurrent reports could delete each other's rows in any order and deadlock.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('contract results', 0))`)
  const kept = await tx
    .insert(contractResult)
    .values([...results])
    .onConflictDoUpdate({
      target: [contractResult.label, contractResult.evidenceKey],
      set: {
        problems: sql`excluded.problems`,
        forbiddingDifferences: sql`excluded.forbidding_differences`,
        validUntil: sql`excluded.valid_until`,
        who: sql`excluded.who`,
        at: sql`excluded.at`,
      },
      setWhere: sql`excluded.at >= ${contractResult.at}`,
    })
    .returning({ label: contractResult.label, evidenceKey: contractResult.evidenceKey })
  const deleted = new Set((await deleteSurplus(tx, limits)).map(identify))
  return kept.filter((row) => !deleted.has(identify(row))).map(({ label }) => label)
}

export const findContractResult = async (
  db: Reader,
  label: string,
  evidenceKey: string,
): Promise<ContractResultRow | null> =>
  firstRow(
    await db
      .select()
      .from(contractResult)
      .where(and(eq(contractResult.label, label), eq(contractResult.evidenceKey, evidenceKey))),
  )

export const findNewestContractResult = async (
  db: Reader,
  label: string,
): Promise<ContractResultRow | null> =>
  firstRow(
    await db
      .select()
      .from(contractResult)
      .where(eq(contractResult.label, label))
      .orderBy(desc(contractResult.at), contractResult.evidenceKey)
      .limit(1),
  )
