import { and, eq, inArray } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'
import { processingStages } from '../schema/processing.ts'
import type { Failure } from './failure.ts'
import { completeLockedDispatch, lockMediaDispatch, type MediaDispatch } from './media-dispatches.ts'
import { type Lane, updateLanes } from './processing-lanes.ts'
import { updateStages } from './processing-stages.ts'
import { lockTrack } from './tracks.ts'

const analysedLanes: readonly Lane[] = ['tags', 'stems', 'lyrics', 'embeddings']

const stageOf = { ready: 'succeeded', skipped: 'skipped', failed: 'failed' } as const

/** Settles lanes of the version of a dispatch; the track's own lanes with them while that version is its current one. */
export const completeAnalysedLanes = async (
  tx: Queryable,
  { trackId, versionId }: MediaDispatch,
  isCurrent: boolean,
  lanes: readonly Lane[],
  status: keyof typeof stageOf,
  failure: Failure | null = null,
) => {
  await updateStages(tx, versionId, lanes, stageOf[status], failure)
  if (isCurrent) await updateLanes(tx, trackId, lanes, status)
}

/** The lanes of a version that an analysis is still to settle. */
export const listAwaitedLanes = async (tx: Queryable, versionId: string): Promise<readonly Lane[]> => {
  const running = await tx
    .select({ lane: processingStages.lane })
    .from(processingStages)
    .where(
      and(
        eq(processingStages.versionId, versionId),
        inArray(processingStages.status, ['queued', 'running']),
        inArray(processingStages.lane, [...analysedLanes]),
      ),
    )
  return running.map(({ lane }) => lane)
}

const isUnfinished = ({ status }: MediaDispatch) =>
  status === 'queued' || status === 'dispatched' || status === 'running'

/** A dispatch with its track, both kept from any other change; null when it is gone or has ended. */
export const lockUnfinishedDispatch = async (tx: Queryable, found: MediaDispatch) => {
  const track = await lockTrack(tx, found.trackId)
  const dispatch = track && (await lockMediaDispatch(tx, found.id))
  return dispatch && isUnfinished(dispatch)
    ? { dispatch, isCurrent: track.currentVersionId === dispatch.versionId }
    : null
}

/** Ends an unfinished dispatch badly, with every lane that still waits for it. */
export const failAnalysis = async (tx: Queryable, found: MediaDispatch | null, failure: Failure) => {
  const open = found && (await lockUnfinishedDispatch(tx, found))
  if (!open) return
  const lanes = await listAwaitedLanes(tx, open.dispatch.versionId)
  await completeAnalysedLanes(tx, open.dispatch, open.isCurrent, lanes, 'failed', failure)
  await completeLockedDispatch(tx, open.dispatch.id, failure)
}
