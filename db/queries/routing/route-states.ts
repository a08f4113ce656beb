import { asc, eq, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow, requireRow } from '../../client/drizzle.ts'
import { routeState, routingEpoch } from '../../schema/routing.ts'

export type RouteStateRow = typeof routeState.$inferSelect

/** The channel that announces the epoch of every routing change. */
export const routingChannel = 'crossfade_routing'

export const listRouteStates = (db: Reader): Promise<RouteStateRow[]> =>
  db.select().from(routeState).orderBy(asc(routeState.scope))

export const findRouteState = async (db: Reader, scope: string): Promise<RouteStateRow | null> =>
  firstRow(await db.select().from(routeState).where(eq(routeState.scope, scope)))

export const lockRouteState = async (tx: Queryable, scope: string): Promise<RouteStateRow | null> =>
  firstRow(await tx.select().from(routeState).where(eq(routeState.scope, scope)).for('update'))

/** The transaction must already have locked the scope's row, if it has one. */
export const saveRouteState = async (tx: Queryable, { scope, ...state }: RouteStateRow) => {
  await tx
    .insert(routeState)
    .values({ scope, ...state })
    .onConflictDoUpdate({ target: routeState.scope, set: state })
}

export const findRoutingEpoch = async (db: Reader): Promise<number> => {
  const [row] = await db.select({ epoch: routingEpoch.epoch }).from(routingEpoch)
  return row?.epoch ?? 0
}

export const findRoutingStates = async (
  db: Reader,
): Promise<{ readonly epoch: number; readonly states: readonly RouteStateRow[] }> => {
  const rows = await db
    .select({ epoch: routingEpoch.epoch, state: routeState })
    .from(routingEpoch)
    .leftJoin(routeState, sql`true`)
    .orderBy(asc(routeState.scope))
  return { epoch: rows[0]?.epoch ?? 0, states: rows.flatMap(({ state }) => state ?? []) }
}

/** Locks the epoch until the transaction ends, so that routing changes happen one at a time. */
export const lockRoutingEpoch = async (tx: Queryable): Promise<number> =>
  requireRow(await tx.select({ epoch: routingEpoch.epoch }).from(routingEpoch).for('update')).epoch

/** The new epoch is greater than `above`. Notifies the instances on commit. */
export const publishRoutingEpoch = async (tx: Queryable, above = 0): Promise<number> => {
  const { epoch } = requireRow(
    await tx
      .update(routingEpoch)
      .set({ epoch: sql`greatest(${routingEpoch.epoch}, ${above}) + 1` })
      .returning({ epoch: routingEpoch.epoch }),
  )
  await tx.execute(sql`select pg_notify(${routingChannel}, ${String(epoch)})`)
  return epoch
}
