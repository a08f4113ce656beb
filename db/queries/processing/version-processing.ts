import type { Queryable } from '../../client/connection.ts'
import { findVersionAudio, updateMediaAsset } from '../media/media-assets.ts'
import { type TrackVersion, updateTrackVersion } from '../tracks/track-versions.ts'
import { type OwnedTrack, updateProcessingState } from '../tracks/tracks.ts'
import { allLanes, lanesAfterPlayback, queueStages, updateLanes } from './processing-stages.ts'

/** Audio that was already found valid stays playable. */
export const reopenVersion = async (tx: Queryable, track: OwnedTrack, { id, status }: TrackVersion) => {
  const version = { trackId: track.id, versionId: id }
  const isCurrent = track.currentVersionId === id
  const lanes = status === 'ready' ? lanesAfterPlayback : allLanes
  await queueStages(tx, version, lanes)
  if (isCurrent) await updateLanes(tx, track.id, lanes, 'processing')
  if (status === 'ready') return
  await updateTrackVersion(tx, id, { status: 'processing' })
  const audio = await findVersionAudio(tx, id)
  if (audio) await updateMediaAsset(tx, audio.id, { status: 'processing' })
  if (isCurrent) await updateProcessingState(tx, track.id, { processingState: 'processing' })
}
