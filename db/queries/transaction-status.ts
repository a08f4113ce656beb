import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'
import { requireRow } from '../client/drizzle.ts'

/** The id of the current transaction, by which `findTransactionStatus` knows what became of it. */
export const readTransactionId = async (tx: Queryable): Promise<string> =>
  requireRow(await tx.execute<{ id: string }>(sql`select pg_current_xact_id()::text as id`)).id

/** What became of a transaction whose outcome was lost with its connection; null if the server does not know it. */
export const findTransactionStatus = async (
  db: Queryable,
  id: string,
): Promise<'in progress' | 'committed' | 'aborted' | null> => {
  type Row = { status: 'in progress' | 'committed' | 'aborted' | null }
  // The server rejects the id of a transaction that it has not begun, as after the restore of a backup.
  const rows = await db.execute<Row>(sql`
    select case when ${id}::xid8 < pg_snapshot_xmax(pg_current_snapshot())
      then pg_xact_status(${id}::xid8) end as status`)
  return requireRow(rows).status
}
