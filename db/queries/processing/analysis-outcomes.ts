import { and, eq, inArray } from 'drizzle-orm'
import type { Queryable } from '../../client/connection.ts'
import { processingStages } from '../../schema/processing.ts'
import type { Failure } from '../jobs/failure.ts'
import { completeLockedDispatch, lockMediaDispatch, type MediaDispatch } from '../media/media-dispatches.ts'
import { lockTrack } from '../tracks/tracks.ts'
import { analysedLanes, type ProcessingLane, updateStagesAndLanes } from './processing-stages.ts'

export const listUnfinishedLanes = async (
  tx: Queryable,
  versionId: string,
): Promise<readonly ProcessingLane[]> => {
  const running = await tx
    .select({ lane: processingStages.lane })
    .from(processingStages)
    .where(
      and(
        eq(processingStages.versionId, versionId),
        inArray(processingStages.status, ['queued', 'running']),
        inArray(processingStages.lane, analysedLanes),
      ),
    )
  return running.map(({ lane }) => lane)
}

const isUnfinished = ({ status }: MediaDispatch) =>
  status === 'queued' || status === 'dispatched' || status === 'running'

export const lockUnfinishedDispatch = async (tx: Queryable, found: MediaDispatch) => {
  const track = await lockTrack(tx, found.trackId)
  const dispatch = track && (await lockMediaDispatch(tx, found.id))
  return dispatch && isUnfinished(dispatch)
    ? { ...dispatch, isCurrent: track.currentVersionId === dispatch.versionId }
    : null
}

export const failAnalysis = async (tx: Queryable, found: MediaDispatch | null, failure: Failure) => {
  const open = found && (await lockUnfinishedDispatch(tx, found))
  if (!open) return
  const lanes = await listUnfinishedLanes(tx, open.versionId)
  await updateStagesAndLanes(tx, open, lanes, 'failed', failure)
  await completeLockedDispatch(tx, open.id, failure)
}
