import type { Queryable } from '#db/client/connection.ts'
import type { Failure } from '#db/queries/jobs/failure.ts'
import { insertJob } from '#db/queries/jobs/jobs.ts'
import { type MediaAssetRow, updateMediaAsset } from '#db/queries/media/media-assets.ts'
import {
  completeLockedDispatch,
  findDispatchWithoutJob,
  insertMediaDispatch,
} from '#db/queries/media/media-dispatches.ts'
import {
  completeLockedRun,
  type IngestionRun,
  lockIngestionRun,
} from '#db/queries/processing/ingestion-runs.ts'
import {
  allLanes,
  analysedLanes,
  lanesAfterPlayback,
  type ProcessingLane,
  updateStages,
  updateStagesAndLanes,
} from '#db/queries/processing/processing-stages.ts'
import { replaceTrackPeaks } from '#db/queries/tracks/track-audio.ts'
import { importTrackLyrics } from '#db/queries/tracks/track-lyrics.ts'
import { replaceDetectedTags } from '#db/queries/tracks/track-tags.ts'
import { findTrackVersion, updateTrackVersion } from '#db/queries/tracks/track-versions.ts'
import { lockTrack, updateProcessingState } from '#db/queries/tracks/tracks.ts'
import type { AudioAnalysis, MissingWaveform } from './analysis/audio-analysis.ts'

type ValidAudio = Extract<AudioAnalysis, { failure: null }>

interface ProcessedVersion {
  readonly trackId: string
  readonly versionId: string
  readonly isCurrent: boolean
  /** An earlier run found the audio valid, and its bytes cannot have changed since. */
  readonly wasReady: boolean
}

const missingWaveforms: Readonly<
  Record<MissingWaveform, readonly [status: 'failed' | 'skipped', reason: Failure]>
> = {
  'unsupported codec': [
    'failed',
    {
      code: 'waveform_unsupported',
      message: 'The audio can be played, but no waveform can be drawn for its codec.',
    },
  ],
  'no decoder': [
    'skipped',
    {
      code: 'decoder_unavailable',
      message: 'The audio can be played, but no decoder is installed to draw its waveform.',
    },
  ],
}

const saveWaveform = async (
  tx: Queryable,
  version: ProcessedVersion,
  audio: MediaAssetRow,
  { waveform, measures }: ValidAudio,
) => {
  if (typeof waveform === 'string')
    return updateStagesAndLanes(tx, version, ['waveform'], ...missingWaveforms[waveform])
  await replaceTrackPeaks(tx, {
    versionId: version.versionId,
    trackId: version.trackId,
    assetId: audio.id,
    ...waveform,
    bits: 8,
    data: new Uint8Array(waveform.data.buffer, waveform.data.byteOffset, waveform.data.byteLength),
    durationMs: measures.durationMs ?? 0,
  })
  await updateStagesAndLanes(tx, version, ['waveform'], 'ready')
}

// The other lanes wait for the analysis service.
const requestAnalysis = async (
  tx: Queryable,
  version: ProcessedVersion,
  lanes: readonly ProcessingLane[],
) => {
  const dispatch =
    (await insertMediaDispatch(tx, version)) ?? (await findDispatchWithoutJob(tx, version.versionId))
  if (dispatch) await insertJob(tx, { queue: 'dispatch-analysis', dispatchId: dispatch.id })
  await updateStagesAndLanes(tx, version, lanes, 'processing')
}

const saveTagsAndLyrics = async (
  tx: Queryable,
  version: ProcessedVersion,
  analysis: ValidAudio,
  hasAnalysisService: boolean,
) => {
  const tags = analysis.tags.map(({ value, ...tag }) => ({
    ...tag,
    value: value.toLowerCase(),
    label: value,
  }))
  await replaceDetectedTags(tx, version.trackId, 'file', tags)
  const hasLyrics =
    analysis.lyrics !== null &&
    (await importTrackLyrics(tx, version.trackId, { ...analysis.lyrics, source: 'import' }))
  if (hasLyrics) await updateStagesAndLanes(tx, version, ['lyrics'], 'ready')
  const remaining: readonly ProcessingLane[] = hasLyrics
    ? ['stems', 'embeddings']
    : ['stems', 'lyrics', 'embeddings']
  if (hasAnalysisService) return requestAnalysis(tx, version, ['tags', ...remaining])
  await updateStagesAndLanes(tx, version, ['tags'], 'ready')
  await updateStagesAndLanes(tx, version, remaining, 'skipped')
}

const completeValid = async (
  tx: Queryable,
  version: ProcessedVersion,
  audio: MediaAssetRow,
  analysis: ValidAudio,
  hasAnalysisService: boolean,
) => {
  await updateTrackVersion(tx, version.versionId, { ...analysis.measures, status: 'ready' })
  await updateMediaAsset(tx, audio.id, { status: 'ready', contentType: analysis.contentType })
  await updateStagesAndLanes(tx, version, ['playback'], 'ready')
  await saveWaveform(tx, version, audio, analysis)
  if (!version.isCurrent) return updateStages(tx, version.versionId, analysedLanes, 'skipped')
  await saveTagsAndLyrics(tx, version, analysis, hasAnalysisService)
  const { durationMs } = analysis.measures
  await updateProcessingState(tx, version.trackId, { processingState: 'ready', durationMs })
}

const unmeasured = { durationMs: null, sampleRate: null, channels: null }

const completeInvalid = async (
  tx: Queryable,
  version: ProcessedVersion,
  audio: MediaAssetRow,
  failure: Failure,
) => {
  if (version.wasReady) {
    await updateStagesAndLanes(tx, version, ['playback'], 'ready')
    return updateStagesAndLanes(tx, version, lanesAfterPlayback, 'failed', failure)
  }
  await updateTrackVersion(tx, version.versionId, { ...unmeasured, status: 'failed' })
  await updateMediaAsset(tx, audio.id, { status: 'failed' })
  const dispatch = await findDispatchWithoutJob(tx, version.versionId)
  if (dispatch) await completeLockedDispatch(tx, dispatch.id, failure)
  await updateStagesAndLanes(tx, version, allLanes, 'failed', failure)
  if (version.isCurrent)
    await updateProcessingState(tx, version.trackId, { processingState: 'failed', durationMs: null })
}

export const completeVersion = async (
  tx: Queryable,
  { id: runId, trackId, versionId }: IngestionRun,
  audio: MediaAssetRow,
  analysis: AudioAnalysis,
  hasAnalysisService: boolean,
) => {
  const track = await lockTrack(tx, trackId)
  const run = await lockIngestionRun(tx, runId)
  const isOpen = run?.status === 'running' || run?.status === 'queued'
  const version = track && isOpen ? await findTrackVersion(tx, trackId, versionId) : null
  if (!track || !run || !version) return
  const isCurrent = track.currentVersionId === versionId
  const processed = { trackId, versionId, isCurrent, wasReady: version.status === 'ready' }
  if (analysis.failure) await completeInvalid(tx, processed, audio, analysis.failure)
  else await completeValid(tx, processed, audio, analysis, hasAnalysisService)
  await completeLockedRun(tx, run.id, analysis.failure)
}
