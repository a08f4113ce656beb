import { findVersionAudio } from '#db/queries/media/media-assets.ts'
import {
  findIngestionRun,
  findLatestRunOfVersion,
  lockIngestionRun,
  queueLockedRun,
  startLockedRun,
} from '#db/queries/processing/ingestion-runs.ts'
import {
  type ProcessingLane,
  postponeStages,
  updateStages,
} from '#db/queries/processing/processing-stages.ts'
import { reopenVersion } from '#db/queries/processing/version-processing.ts'
import { findTrackVersion } from '#db/queries/tracks/track-versions.ts'
import { lockTrack } from '#db/queries/tracks/tracks.ts'
import { analyseAudioInChild } from './analysis/analyse-in-child.ts'
import { limitFailure } from './analysis/analysis-limits.ts'
import { completeVersion } from './complete-version.ts'
import type { JobDefinition, JobOf } from './job-definitions.ts'
import { withAssetFile } from './local-copy.ts'
import type { JobPorts } from './ports.ts'

const localLanes: readonly ProcessingLane[] = ['playback', 'waveform', 'tags']

const startRun = (runId: string, { db }: JobPorts) =>
  db.tx(async (tx) => {
    const run = await lockIngestionRun(tx, runId)
    if (!run || run.status === 'succeeded' || run.status === 'failed') return null
    await startLockedRun(tx, run.id)
    await updateStages(tx, run.versionId, localLanes, 'running')
    return run
  })

/** Idempotent: if a worker takes over from one that crashed or seemed dead, the run still completes only once. */
const processVersion = async (runId: string, ports: JobPorts, signal: AbortSignal) => {
  const run = await startRun(runId, ports)
  const audio = run && (await findVersionAudio(ports.db.read, run.versionId))
  if (!run || !audio) return
  const analysis = await withAssetFile(audio, ports, signal, (path) =>
    analyseAudioInChild({ path, contentType: audio.contentType }, ports.ffmpeg, signal),
  )
  if (!analysis) return
  if (analysis.failure?.code === limitFailure.code)
    ports.log.warn({ versionId: run.versionId }, 'analysis limit exceeded')
  await ports.db.tx((tx) => completeVersion(tx, run, audio, analysis, ports.analysis !== null))
}

export const processVersionJob: JobDefinition<JobOf<'process-version'>> = {
  queue: 'process-version',
  concurrency: 2,
  run: ({ runId }, ports, signal) => processVersion(runId, ports, signal),
  async postpone(tx, { runId }, failure) {
    const run = await lockIngestionRun(tx, runId)
    if (run?.status !== 'running') return
    await queueLockedRun(tx, run.id)
    await postponeStages(tx, run.versionId, localLanes, failure)
  },
  async markAsFailed(tx, { runId }, failure) {
    const run = await findIngestionRun(tx, runId)
    const audio = run && (await findVersionAudio(tx, run.versionId))
    if (run && audio) await completeVersion(tx, run, audio, { failure }, false)
  },
  async reopen(tx, { runId }) {
    const found = await findIngestionRun(tx, runId)
    const track = found && (await lockTrack(tx, found.trackId))
    const run = track && (await lockIngestionRun(tx, runId))
    if (run?.status !== 'failed') return run?.status === 'queued' || run?.status === 'running'
    const latest = await findLatestRunOfVersion(tx, run.versionId)
    const version = await findTrackVersion(tx, run.trackId, run.versionId)
    if (!track || !version || latest?.id !== run.id) return false
    await reopenVersion(tx, track, version)
    await queueLockedRun(tx, run.id)
    return true
  },
}
