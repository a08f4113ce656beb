import type { Queryable } from '#db/client/connection.ts'
import { type Failure, infrastructureFailure, isInfrastructureCode } from '#db/queries/jobs/failure.ts'
import { findVersionAudio } from '#db/queries/media/media-assets.ts'
import {
  countDispatchAttempt,
  findLatestDispatchOfVersion,
  findMediaDispatch,
  lockMediaDispatch,
  markDispatched,
  reopenLockedDispatch,
} from '#db/queries/media/media-dispatches.ts'
import { failAnalysis, listUnfinishedLanes } from '#db/queries/processing/analysis-outcomes.ts'
import {
  listFailedAnalysedLanes,
  postponeStages,
  queueStages,
  resumeStages,
  updateLanes,
} from '#db/queries/processing/processing-stages.ts'
import { findTrackVersion } from '#db/queries/tracks/track-versions.ts'
import { lockTrack } from '#db/queries/tracks/tracks.ts'
import type { JobDefinition, JobOf } from './job-definitions.ts'
import type { JobPorts } from './ports.ts'
import { RetryLaterError } from './retry-later-error.ts'

// The service may queue the work for hours before it fetches the audio.
export const audioUrlTtlS = 6 * 3600

/** A retry may send the same dispatch again. */
const dispatchAnalysis = async (dispatchId: string, { db, storage, analysis }: JobPorts) => {
  const dispatch = await findMediaDispatch(db.read, dispatchId)
  if (dispatch?.status !== 'queued') return
  if (!analysis)
    throw new RetryLaterError(
      'analysis_unreachable',
      'no analysis service is configured: set MEDIA_INTELLIGENCE_URL and MEDIA_INTELLIGENCE_SECRET',
    )
  const [audio, version] = await Promise.all([
    findVersionAudio(db.read, dispatch.versionId),
    findTrackVersion(db.read, dispatch.trackId, dispatch.versionId),
  ])
  if (!audio || !version) return
  await db.tx(async (tx) => {
    await countDispatchAttempt(tx, dispatch.id)
    await resumeStages(tx, dispatch.versionId, await listUnfinishedLanes(tx, dispatch.versionId))
  })
  const { contentType, byteSize } = audio
  const { url } = await storage.presignGet(audio.storageKey, { expiresInS: audioUrlTtlS, contentType })
  const { durationMs } = version
  await analysis.dispatch({ dispatchId: dispatch.id, audioUrl: url, contentType, byteSize, durationMs })
  await db.tx((tx) => markDispatched(tx, dispatch.id))
}

interface DispatchJob {
  readonly dispatchId: string
}

export const postponeAnalysis = async (tx: Queryable, { dispatchId }: DispatchJob, failure: Failure) => {
  const dispatch = await findMediaDispatch(tx, dispatchId)
  if (!dispatch) return
  const lanes = await listUnfinishedLanes(tx, dispatch.versionId)
  await postponeStages(tx, dispatch.versionId, lanes, failure)
}

export const markDispatchAsFailed = async (tx: Queryable, { dispatchId }: DispatchJob, failure: Failure) =>
  failAnalysis(tx, await findMediaDispatch(tx, dispatchId), failure)

export const reopenDispatch = async (
  tx: Queryable,
  { dispatchId }: DispatchJob,
  status: 'queued' | 'running',
) => {
  const found = await findMediaDispatch(tx, dispatchId)
  const track = found && (await lockTrack(tx, found.trackId))
  const dispatch = track && (await lockMediaDispatch(tx, dispatchId))
  if (!track || dispatch?.status !== 'failed') return dispatch?.status === status
  const { versionId, errorCode } = dispatch
  const latest = await findLatestDispatchOfVersion(tx, versionId)
  const isNeeded = latest?.id === dispatch.id && track.currentVersionId === versionId
  if (!isNeeded || !isInfrastructureCode(errorCode)) return false
  const lanes = await listFailedAnalysedLanes(tx, versionId, errorCode)
  if (lanes.length > 0) await queueStages(tx, { trackId: track.id, versionId }, lanes)
  await updateLanes(tx, track.id, lanes, 'processing')
  await reopenLockedDispatch(tx, dispatch.id, status)
  return true
}

export const dispatchAnalysisJob: JobDefinition<JobOf<'dispatch-analysis'>> = {
  queue: 'dispatch-analysis',
  concurrency: 4,
  failure: infrastructureFailure('analysis_unreachable'),
  run: ({ dispatchId }, ports) => dispatchAnalysis(dispatchId, ports),
  postpone: postponeAnalysis,
  markAsFailed: markDispatchAsFailed,
  reopen: (tx, job) => reopenDispatch(tx, job, 'queued'),
}
