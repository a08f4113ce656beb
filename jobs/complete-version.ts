import type { Queryable } from '#db/client/connection.ts'
import type { Failure } from '#db/queries/failure.ts'
import { completeLockedRun, type IngestionRun, lockIngestionRun } from '#db/queries/ingestion-runs.ts'
import { insertJob } from '#db/queries/jobs.ts'
import { type MediaAssetRow, updateMediaAsset } from '#db/queries/media-assets.ts'
import { insertMediaDispatch } from '#db/queries/media-dispatches.ts'
import { type Lane, type LaneStatus, updateLanes } from '#db/queries/processing-lanes.ts'
import { updateStages } from '#db/queries/processing-stages.ts'
import { importTrackLyrics } from '#db/queries/track-lyrics.ts'
import { replaceTrackPeaks } from '#db/queries/track-peaks.ts'
import { replaceFoundTags } from '#db/queries/track-tags.ts'
import { findTrackVersion, updateTrackVersion } from '#db/queries/track-versions.ts'
import { lockTrack, updateProcessingState } from '#db/queries/tracks.ts'
import type { AudioAnalysis } from './analysis/analyse-audio.ts'

type Sound = Extract<AudioAnalysis, { failure: null }>

interface SettledVersion {
  readonly trackId: string
  readonly versionId: string
  readonly isCurrent: boolean
  /** Its bytes have been found good before, and cannot have changed since. */
  readonly wasReady: boolean
}

const everyLane: readonly Lane[] = ['playback', 'waveform', 'tags', 'stems', 'lyrics', 'embeddings']

const waveformFailure = {
  code: 'waveform_unsupported',
  message: 'The audio can be played, but no waveform can be drawn of its codec.',
}

const stageOf = { ready: 'succeeded', failed: 'failed', skipped: 'skipped', processing: 'running' } as const
type Settled = keyof typeof stageOf & LaneStatus

// A stage speaks of its version, a lane of the track's current one.
const settleLane = async (
  tx: Queryable,
  { trackId, versionId, isCurrent }: SettledVersion,
  lanes: readonly Lane[],
  status: Settled,
  failure: Failure | null = null,
) => {
  await updateStages(tx, versionId, lanes, stageOf[status], failure)
  if (isCurrent) await updateLanes(tx, trackId, lanes, status)
}

const keepWaveform = async (
  tx: Queryable,
  version: SettledVersion,
  audio: MediaAssetRow,
  { waveform, measures }: Sound,
) => {
  if (!waveform) return settleLane(tx, version, ['waveform'], 'failed', waveformFailure)
  await replaceTrackPeaks(tx, {
    versionId: version.versionId,
    trackId: version.trackId,
    assetId: audio.id,
    ...waveform,
    bits: 8,
    data: new Uint8Array(waveform.data.buffer, waveform.data.byteOffset, waveform.data.byteLength),
    durationMs: measures.durationMs ?? 0,
  })
  await settleLane(tx, version, ['waveform'], 'ready')
}

// The rest of the lanes wait for the analysis service, and without one are not offered.
const handOver = async (tx: Queryable, version: SettledVersion, lanes: readonly Lane[]) => {
  const dispatch = await insertMediaDispatch(tx, version)
  if (dispatch) await insertJob(tx, { queue: 'dispatch-analysis', dispatchId: dispatch.id })
  await settleLane(tx, version, lanes, 'processing')
}

const keepWords = async (tx: Queryable, version: SettledVersion, sound: Sound, offersAnalysis: boolean) => {
  const tags = sound.tags.map(({ value, ...tag }) => ({ ...tag, value: value.toLowerCase(), label: value }))
  await replaceFoundTags(tx, version.trackId, 'file', tags)
  const hasLyrics =
    sound.lyrics !== null &&
    (await importTrackLyrics(tx, version.trackId, { ...sound.lyrics, source: 'import' }))
  if (hasLyrics) await settleLane(tx, version, ['lyrics'], 'ready')
  const open: readonly Lane[] = hasLyrics ? ['stems', 'embeddings'] : ['stems', 'lyrics', 'embeddings']
  if (offersAnalysis) return handOver(tx, version, ['tags', ...open])
  await settleLane(tx, version, ['tags'], 'ready')
  await settleLane(tx, version, open, 'skipped')
}

const settleSound = async (
  tx: Queryable,
  version: SettledVersion,
  audio: MediaAssetRow,
  sound: Sound,
  offersAnalysis: boolean,
) => {
  await updateTrackVersion(tx, version.versionId, { ...sound.measures, status: 'ready' })
  await updateMediaAsset(tx, audio.id, { status: 'ready' })
  await settleLane(tx, version, ['playback'], 'ready')
  await keepWaveform(tx, version, audio, sound)
  if (!version.isCurrent) return updateStages(tx, version.versionId, everyLane.slice(2), 'skipped')
  await keepWords(tx, version, sound, offersAnalysis)
  const { durationMs } = sound.measures
  await updateProcessingState(tx, version.trackId, { processingState: 'ready', durationMs })
}

const unmeasured = { durationMs: null, sampleRate: null, channels: null }

const settleUnsound = async (
  tx: Queryable,
  version: SettledVersion,
  audio: MediaAssetRow,
  failure: Failure,
) => {
  if (version.wasReady) return settleLane(tx, version, everyLane.slice(1), 'failed', failure)
  await updateTrackVersion(tx, version.versionId, { ...unmeasured, status: 'failed' })
  await updateMediaAsset(tx, audio.id, { status: 'failed' })
  await settleLane(tx, version, everyLane, 'failed', failure)
  if (version.isCurrent)
    await updateProcessingState(tx, version.trackId, { processingState: 'failed', durationMs: null })
}

/** Writes down what became of a run's audio, all at once and once, unless its version is gone. */
export const completeVersion = async (
  tx: Queryable,
  { id: runId, trackId, versionId }: IngestionRun,
  audio: MediaAssetRow,
  found: AudioAnalysis,
  offersAnalysis: boolean,
) => {
  const track = await lockTrack(tx, trackId)
  const run = await lockIngestionRun(tx, runId)
  const isOpen = run?.status === 'running' || run?.status === 'queued'
  const version = track && isOpen ? await findTrackVersion(tx, trackId, versionId) : null
  if (!track || !run || !version) return
  const isCurrent = track.currentVersionId === versionId
  const settled = { trackId, versionId, isCurrent, wasReady: version.status === 'ready' }
  if (found.failure) await settleUnsound(tx, settled, audio, found.failure)
  else await settleSound(tx, settled, audio, found, offersAnalysis)
  await completeLockedRun(tx, run.id, found.failure)
}
