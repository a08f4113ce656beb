import { findVersionAudio } from '#db/queries/media/media-assets.ts'
import {
  countDispatchAttempt,
  findMediaDispatch,
  markDispatched,
} from '#db/queries/media/media-dispatches.ts'
import { listUnfinishedLanes } from '#db/queries/processing/analysis-outcomes.ts'
import { resumeStages } from '#db/queries/processing/processing-stages.ts'
import { findTrackVersion } from '#db/queries/tracks/track-versions.ts'
import type { JobPorts } from './ports.ts'
import { RetryLaterError } from './retry-later-error.ts'

// The service may queue the work for hours before it fetches the audio.
export const audioUrlTtlS = 6 * 3600

/** A retry may send the same dispatch again. */
export const dispatchAnalysis = async (dispatchId: string, { db, storage, analysis }: JobPorts) => {
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
