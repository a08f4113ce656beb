import { asc, gt, lt, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { gatewayInstance } from '../schema/routing.ts'
import { statementTimestamp } from './statement-timestamp.ts'

export type GatewayInstance = typeof gatewayInstance.$inferSelect

// Three beats: an instance beats at least every five seconds.
const liveTimeoutS = 15
const staleTimeoutS = 3600

const secondsAgo = (seconds: number) => sql`statement_timestamp() - ${seconds} * interval '1 second'`

/** Records that an instance runs, and the epoch that it has adopted. */
export const upsertInstance = async (db: Queryable, instance: Omit<GatewayInstance, 'beatAt'>) => {
  const { id, ...values } = instance
  await db
    .insert(gatewayInstance)
    .values({ id, ...values })
    .onConflictDoUpdate({ target: gatewayInstance.id, set: { ...values, beatAt: statementTimestamp } })
}

/** The instances that have reported within the last 15 seconds. */
export const listLiveInstances = (db: Reader): Promise<GatewayInstance[]> =>
  db
    .select()
    .from(gatewayInstance)
    .where(gt(gatewayInstance.beatAt, secondsAgo(liveTimeoutS)))
    .orderBy(asc(gatewayInstance.id))

/** Removes an instance that shuts down, so that no change waits for it. */
export const deleteInstance = async (db: Queryable, id: string) => {
  await db.delete(gatewayInstance).where(sql`${gatewayInstance.id} = ${id}`)
}

/** Deletes the instances that have not reported for an hour. */
export const deleteStaleInstances = async (db: Queryable) => {
  await db.delete(gatewayInstance).where(lt(gatewayInstance.beatAt, secondsAgo(staleTimeoutS)))
}
