import { eq, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { preparedRead } from '../../client/drizzle.ts'
import { processingLanes } from '../../schema/processing.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

export type ProcessingLane = (typeof processingLanes.$inferSelect)['lane']
type LaneStatus = (typeof processingLanes.$inferSelect)['status']

const lanesOfTrack = preparedRead((db) =>
  db
    .select()
    .from(processingLanes)
    .where(eq(processingLanes.trackId, sql.placeholder('trackId')))
    .prepare('lanes_of_track'),
)

/** Lists the lanes that are no longer `pending`. */
export const listProcessingLanes = (db: Reader, trackId: string) => lanesOfTrack(db).execute({ trackId })

export const updateLanes = async (
  tx: Queryable,
  trackId: string,
  lanes: readonly ProcessingLane[],
  status: LaneStatus,
) => {
  if (lanes.length === 0) return
  await tx
    .insert(processingLanes)
    .values(lanes.map((lane) => ({ trackId, lane, status, updatedAt: statementTimestamp })))
    .onConflictDoUpdate({
      target: [processingLanes.trackId, processingLanes.lane],
      set: { status, updatedAt: statementTimestamp },
    })
}
