import { and, asc, eq, gt, lt, lte, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow } from '../../client/drizzle.ts'
import { gatewayInstance } from '../../schema/routing.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

export type GatewayInstance = typeof gatewayInstance.$inferSelect

export interface ReportedInstance extends Pick<GatewayInstance, 'id' | 'epoch'> {
  readonly lastReportAgeS: number
}

// Three times the five seconds within which every instance reports.
const liveTimeoutS = 15
const staleTimeoutS = 3600
/** How long, in seconds, a silent instance blocks every step towards native. */
export const unknownTimeoutS = 120

const secondsAgo = (seconds: number) => sql`statement_timestamp() - ${seconds} * interval '1 second'`
const isLive = gt(gatewayInstance.beatAt, secondsAgo(liveTimeoutS))
const reported = {
  id: gatewayInstance.id,
  epoch: gatewayInstance.epoch,
  lastReportAgeS: sql<number>`greatest(0, extract(epoch from statement_timestamp() - ${gatewayInstance.beatAt}))::int`,
}

export const upsertInstance = async (db: Queryable, instance: Omit<GatewayInstance, 'beatAt'>) => {
  const { id, ...values } = instance
  await db
    .insert(gatewayInstance)
    .values({ id, ...values })
    .onConflictDoUpdate({ target: gatewayInstance.id, set: { ...values, beatAt: statementTimestamp } })
}

export const listLiveInstances = (db: Reader): Promise<ReportedInstance[]> =>
  db.select(reported).from(gatewayInstance).where(isLive).orderBy(asc(gatewayInstance.id))

// Like the full column, this has no entry for a label that the instance lacks.
const keysOf = (label: string) =>
  sql<
    GatewayInstance['keys']
  >`jsonb_strip_nulls(jsonb_build_object(${label}::text, ${gatewayInstance.keys} -> ${label}))`

/** With `label`, lists only the keys for that label. */
export const listLiveKeys = async (
  db: Reader,
  label?: string,
): Promise<readonly GatewayInstance['keys'][]> => {
  const keys = label === undefined ? gatewayInstance.keys : keysOf(label)
  const rows = await db.select({ keys }).from(gatewayInstance).where(isLive)
  return rows.map(({ keys }) => keys)
}

/**
 * Lists the instances that did not shut down, but last reported between 15 seconds and an hour (or `withinS` seconds)
 * ago. They are dead, or cut off from the database.
 */
export const listUnknownInstances = (db: Reader, withinS = staleTimeoutS): Promise<ReportedInstance[]> =>
  db
    .select(reported)
    .from(gatewayInstance)
    .where(
      and(
        lte(gatewayInstance.beatAt, secondsAgo(liveTimeoutS)),
        gt(gatewayInstance.beatAt, secondsAgo(withinS)),
      ),
    )
    .orderBy(asc(gatewayInstance.id))

export const listLiveEvidenceKeys = (db: Reader): Promise<Pick<GatewayInstance, 'id' | 'keys'>[]> =>
  db
    .select({ id: gatewayInstance.id, keys: gatewayInstance.keys })
    .from(gatewayInstance)
    .where(isLive)
    .orderBy(asc(gatewayInstance.id))

export const lockInstance = async (tx: Queryable, id: string) =>
  firstRow(
    await tx
      .select({ ...reported, build: gatewayInstance.build, isLive: sql<boolean>`${isLive}` })
      .from(gatewayInstance)
      .where(eq(gatewayInstance.id, id))
      .for('update'),
  )

/** After that, no change waits for it. */
export const deleteInstance = async (db: Queryable, id: string) => {
  await db.delete(gatewayInstance).where(eq(gatewayInstance.id, id))
}

export const deleteStaleInstances = async (db: Queryable) => {
  await db.delete(gatewayInstance).where(lt(gatewayInstance.beatAt, secondsAgo(staleTimeoutS)))
}
