import type { Queryable } from '../../client/connection.ts'
import { findVersionAudio, updateMediaAsset } from '../media/media-assets.ts'
import { type TrackVersion, updateTrackVersion } from '../tracks/track-versions.ts'
import { type OwnedTrack, updateProcessingState } from '../tracks/tracks.ts'
import { type ProcessingLane, queueStages, updateLanes } from './processing-stages.ts'

const lanesOfValidAudio: readonly ProcessingLane[] = ['waveform', 'tags', 'stems', 'lyrics', 'embeddings']

/** Audio that was already found valid stays playable. */
export const reopenVersion = async (tx: Queryable, track: OwnedTrack, { id, status }: TrackVersion) => {
  const version = { trackId: track.id, versionId: id }
  const isCurrent = track.currentVersionId === id
  const lanes: readonly ProcessingLane[] =
    status === 'ready' ? lanesOfValidAudio : ['playback', ...lanesOfValidAudio]
  await queueStages(tx, version, lanes)
  if (isCurrent) await updateLanes(tx, track.id, lanes, 'processing')
  if (status === 'ready') return
  await updateTrackVersion(tx, id, { status: 'processing' })
  const audio = await findVersionAudio(tx, id)
  if (audio) await updateMediaAsset(tx, audio.id, { status: 'processing' })
  if (isCurrent) await updateProcessingState(tx, track.id, { processingState: 'processing' })
}
