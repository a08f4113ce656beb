import { ApiError } from '#contracts/errors.ts'
import { retry } from '#contracts/tracks.processing.ts'
import type { Queryable } from '#db/client/connection.ts'
import { insertJob } from '#db/queries/jobs/jobs.ts'
import { findUnfinishedDispatch, insertMediaDispatch } from '#db/queries/media/media-dispatches.ts'
import { analysedLanes, queueStages, updateLanes } from '#db/queries/processing/processing-stages.ts'
import { findTrackVersion, type TrackVersion } from '#db/queries/tracks/track-versions.ts'
import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'
import { defineRoute, markUnchanged } from '../define-route.ts'
import { requireLockedTrack } from './require-track.ts'
import { restartInterruptedProcessing } from './start-processing.ts'

const findCurrentVersion = (tx: Queryable, { id, currentVersionId }: OwnedTrack) =>
  currentVersionId === null ? null : findTrackVersion(tx, id, currentVersionId)

// If the version is not ready, its processing is restarted. Once the audio has passed the checks, that processing sends
// the dispatch to the analysis service.
const startAnalysis = async (tx: Queryable, track: OwnedTrack, version: TrackVersion, dispatchId: string) => {
  if (version.status !== 'ready') {
    if (!(await restartInterruptedProcessing(tx, track, version, 'retry')))
      throw new ApiError('version_not_ready')
    return
  }
  await queueStages(tx, { trackId: track.id, versionId: version.id }, analysedLanes)
  await updateLanes(tx, track.id, analysedLanes, 'processing')
  await insertJob(tx, { queue: 'dispatch-analysis', dispatchId })
}

export const retryAnalysis = defineRoute(retry, async ({ track }, { db, media }) => {
  if (!media.isAnalysisConfigured) throw new ApiError('media_intelligence_unavailable')
  return db.tx(async (tx) => {
    const locked = await requireLockedTrack(tx, track)
    const version = await findCurrentVersion(tx, locked)
    if (!version) throw new ApiError('version_not_ready')
    const started = await insertMediaDispatch(tx, { trackId: track.id, versionId: version.id })
    const dispatch = started ?? (await findUnfinishedDispatch(tx, version.id))
    // Because of the unique index, only an unfinished dispatch prevents the insert, and none can end while the track is
    // locked.
    if (!dispatch) throw new Error('no unfinished dispatch found after a unique violation')
    const body = { trackId: track.id, dispatchId: dispatch.id }
    if (!started) return markUnchanged({ status: 200, body: { ...body, status: 'already_running' } })
    await startAnalysis(tx, locked, version, dispatch.id)
    return { status: 202, body: { ...body, status: 'dispatched' } }
  })
})
