import { and, eq, gt, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead } from '../../client/drizzle.ts'
import { packLinkAdmissions } from '../../schema/packs.ts'

const unexpiredAdmission = preparedRead((db) =>
  db
    .select({ expiresAt: packLinkAdmissions.expiresAt })
    .from(packLinkAdmissions)
    .where(
      and(
        eq(packLinkAdmissions.key, sql.placeholder('key')),
        gt(packLinkAdmissions.expiresAt, sql`statement_timestamp()`),
      ),
    )
    .prepare('unexpired_pack_link_admission'),
)

export const findPackLinkAdmission = async (db: Reader, key: string) =>
  firstRow(await unexpiredAdmission(db).execute({ key }))

export const insertPackLinkAdmission = async (db: Pick<Queryable, 'insert'>, key: string, ttlS: number) => {
  await db
    .insert(packLinkAdmissions)
    .values({ key, expiresAt: sql`statement_timestamp() + ${ttlS}::int * interval '1 second'` })
    .onConflictDoUpdate({ target: packLinkAdmissions.key, set: { expiresAt: sql`excluded.expires_at` } })
}

export const deleteExpiredPackLinkAdmissions = async (db: Pick<Queryable, 'execute'>, limit: number) => {
  const deleted = await db.execute(sql`
    delete from ${packLinkAdmissions} where key in (
      select key from ${packLinkAdmissions} where expires_at <= statement_timestamp()
      limit ${limit}::int for update skip locked)
    returning 1`)
  return deleted.length
}
