import { findVersionAudio } from '#db/queries/media/media-assets.ts'
import { lockIngestionRun, startLockedRun } from '#db/queries/processing/ingestion-runs.ts'
import { type ProcessingLane, updateStages } from '#db/queries/processing/processing-stages.ts'
import { analyseAudioInChild } from './analysis/analyse-in-child.ts'
import { limitFailure } from './analysis/analysis-limits.ts'
import { completeVersion } from './complete-version.ts'
import { withAssetFile } from './local-copy.ts'
import type { JobPorts } from './ports.ts'

export const localLanes: readonly ProcessingLane[] = ['playback', 'waveform', 'tags']

const startRun = (runId: string, { db }: JobPorts) =>
  db.tx(async (tx) => {
    const run = await lockIngestionRun(tx, runId)
    if (!run || run.status === 'succeeded' || run.status === 'failed') return null
    await startLockedRun(tx, run.id)
    await updateStages(tx, run.versionId, localLanes, 'running')
    return run
  })

/** Idempotent: if a worker takes over from one that crashed or seemed dead, the run still completes only once. */
export const processVersion = async (runId: string, ports: JobPorts, signal: AbortSignal) => {
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
