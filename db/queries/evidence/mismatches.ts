import { and, desc, eq, inArray, type SQLWrapper, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { requireRow } from '../../client/drizzle.ts'
import { mismatch } from '../../schema/comparisons.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

type MismatchRow = typeof mismatch.$inferSelect

export type FoundMismatch = Omit<MismatchRow, 'firstAt' | 'lastAt'>

export const mismatchLimits = { perLabel: 200, requestIds: 5 } as const

/** The classes that count against native, the worst last. */
export const severeClasses: readonly string[] = ['regression', 'critical']

const severityOf = (name: SQLWrapper) =>
  sql`coalesce(array_position(array[${sql.join(
    severeClasses.map((severe) => sql`${severe}`),
    sql`, `,
  )}]::text[], ${name}::text), 0)`

// At the same place, the same difference may at times be transient. That must not hide that it was severe.
const isLessSevere = sql`${severityOf(sql`excluded.class`)} < ${severityOf(mismatch.class)}`

const unlessLessSevere = (known: SQLWrapper, added: SQLWrapper) =>
  sql`case when ${isLessSevere} then ${known} else ${added} end`

// Prefers to keep leaks, then what was found most recently, then what was found most often.
const deleteSurplus = async (tx: Queryable, labels: readonly string[]) => {
  await tx.execute(sql`
    delete from mismatch where (label, signature, evidence_key) in (
      select label, signature, evidence_key from (
        select label, signature, evidence_key, row_number() over (
          partition by label order by (class = 'critical') desc, last_at desc, count desc, signature) as kept
        from mismatch where ${inArray(mismatch.label, [...labels])}
      ) as ranked where kept > ${mismatchLimits.perLabel}::int)`)
}

export const addMismatches = async (tx: Queryable, found: readonly FoundMismatch[]) => {
  if (found.length === 0) return
  // Without this lock, concurrent writes could delete each other's rows in any order and deadlock.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('mismatches', 0))`)
  await tx
    .insert(mismatch)
    .values(found.map((row) => ({ ...row, firstAt: statementTimestamp, lastAt: statementTimestamp })))
    .onConflictDoUpdate({
      target: [mismatch.label, mismatch.signature, mismatch.evidenceKey],
      set: {
        class: unlessLessSevere(mismatch.class, sql`excluded.class`),
        blame: unlessLessSevere(mismatch.blame, sql`excluded.blame`),
        exampleNative: unlessLessSevere(mismatch.exampleNative, sql`excluded.example_native`),
        exampleCore: unlessLessSevere(mismatch.exampleCore, sql`excluded.example_core`),
        count: sql`least(${mismatch.count}::bigint + excluded.count, 2147483647)::int`,
        requestIds: sql`(excluded.request_ids || ${mismatch.requestIds})[1:${sql.raw(String(mismatchLimits.requestIds))}]`,
        lastAt: sql`excluded.last_at`,
      },
    })
  await deleteSurplus(tx, [...new Set(found.map(({ label }) => label))])
}

export const listSevereMismatches = (db: Reader, label: string, evidenceKey: string) =>
  db
    .select({ kind: mismatch.kind, path: mismatch.path, lastAt: mismatch.lastAt })
    .from(mismatch)
    .where(
      and(
        eq(mismatch.label, label),
        eq(mismatch.evidenceKey, evidenceKey),
        inArray(mismatch.class, [...severeClasses]),
      ),
    )
    .orderBy(mismatch.class, desc(mismatch.count), mismatch.signature)

export const deleteOldMismatches = async (tx: Queryable, limit: number): Promise<number> => {
  const deleted = await tx.execute(sql`
    delete from mismatch where (label, signature, evidence_key) in (
      select label, signature, evidence_key from mismatch
      where last_at < statement_timestamp() - interval '7 days' order by last_at limit ${limit}::int)
    returning 1`)
  return deleted.length
}

export const listMismatches = (db: Reader, label: string) =>
  db
    .select()
    .from(mismatch)
    .where(eq(mismatch.label, label))
    .orderBy(desc(mismatch.lastAt), mismatch.signature)

export const readTransactionId = async (tx: Queryable): Promise<string> =>
  requireRow(await tx.execute<{ id: string }>(sql`select pg_current_xact_id()::text as id`)).id

/** Returns the outcome of a transaction whose connection was lost; null if the server does not know it. */
export const findTransactionStatus = async (
  db: Queryable,
  id: string,
): Promise<'in progress' | 'committed' | 'aborted' | null> => {
  type Row = { status: 'in progress' | 'committed' | 'aborted' | null }
  // `pg_xact_status` fails for a transaction that this server never began, for example after a restore.
  const rows = await db.execute<Row>(sql`
    select case when ${id}::xid8 < pg_snapshot_xmax(pg_current_snapshot())
      then pg_xact_status(${id}::xid8) end as status`)
  return requireRow(rows).status
}
