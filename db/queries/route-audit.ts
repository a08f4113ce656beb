import { and, desc, eq, lt } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import type { NewRow } from '../client/insert.ts'
import { newId } from '../new-id.ts'
import { routeAudit } from '../schema/routing.ts'

/** Records a change of routing. Call it in the transaction of the change. */
export const insertRouteAudit = async (
  tx: Queryable,
  entry: Omit<NewRow<typeof routeAudit>, 'id' | 'at'>,
) => {
  await tx.insert(routeAudit).values({ id: newId(), ...entry })
}

interface AuditPage {
  readonly scope?: string | undefined
  /** Only changes before this epoch. */
  readonly before?: number | undefined
  readonly limit: number
}

/** The changes of routing, the newest first. */
export const listRouteAudit = (db: Reader, { scope, before, limit }: AuditPage) =>
  db
    .select()
    .from(routeAudit)
    .where(
      and(
        scope === undefined ? undefined : eq(routeAudit.scope, scope),
        before === undefined ? undefined : lt(routeAudit.epoch, before),
      ),
    )
    .orderBy(desc(routeAudit.epoch), desc(routeAudit.id))
    .limit(limit)
