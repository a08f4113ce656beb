import { ApiError } from '#contracts/errors.ts'
import { type Lane, retry } from '#contracts/tracks.processing.ts'
import type { Queryable } from '#db/client/connection.ts'
import { insertJob } from '#db/queries/jobs.ts'
import { findUnfinishedDispatch, insertMediaDispatch } from '#db/queries/media-dispatches.ts'
import { updateLanes } from '#db/queries/processing-lanes.ts'
import { queueStages } from '#db/queries/processing-stages.ts'
import { findTrackVersion } from '#db/queries/track-versions.ts'
import type { OwnedTrack } from '#db/queries/tracks.ts'
import { defineRoute } from '../define-route.ts'
import { requireLockedTrack } from './require-locked-track.ts'

const analysedLanes: readonly Lane[] = ['tags', 'stems', 'lyrics', 'embeddings']

const requireReadyVersion = async (tx: Queryable, { id, currentVersionId }: OwnedTrack) => {
  const version = currentVersionId === null ? null : await findTrackVersion(tx, id, currentVersionId)
  if (version?.status !== 'ready') throw new ApiError('version_not_ready')
  return { trackId: id, versionId: version.id }
}

export const retryAnalysis = defineRoute(retry, async ({ track }, { db, media }) => {
  if (!media.isAnalysisConfigured) throw new ApiError('media_intelligence_unavailable')
  return db.tx(async (tx) => {
    const version = await requireReadyVersion(tx, await requireLockedTrack(tx, track))
    const started = await insertMediaDispatch(tx, version)
    const dispatch = started ?? (await findUnfinishedDispatch(tx, version.versionId))
    // The unique index conflicts with an unfinished dispatch only, and a dispatch cannot end while the track is locked.
    if (!dispatch) throw new Error('no unfinished dispatch found after a unique violation')
    const body = { trackId: track.id, dispatchId: dispatch.id }
    if (!started) return { status: 200, body: { ...body, status: 'already_running' } }
    await queueStages(tx, version, analysedLanes)
    await updateLanes(tx, version.trackId, analysedLanes, 'processing')
    await insertJob(tx, { queue: 'dispatch-analysis', dispatchId: dispatch.id })
    return { status: 202, body: { ...body, status: 'dispatched' } }
  })
})
