import { lockIngestionRun, startLockedRun } from '#db/queries/ingestion-runs.ts'
import { findVersionAudio } from '#db/queries/media-assets.ts'
import type { Lane } from '#db/queries/processing-lanes.ts'
import { updateStages } from '#db/queries/processing-stages.ts'
import { analyseAudioInChild } from './analysis/analyse-in-child.ts'
import { limitFailure } from './analysis/limit-exceeded.ts'
import { withAssetBytes } from './asset-bytes.ts'
import { completeVersion } from './complete-version.ts'
import type { JobPorts } from './ports.ts'

/** The lanes that are worked here, without any other service. */
const ownLanes: readonly Lane[] = ['playback', 'waveform', 'tags']

const beginRun = (runId: string, { db }: JobPorts) =>
  db.tx(async (tx) => {
    const run = await lockIngestionRun(tx, runId)
    if (!run || run.status === 'succeeded' || run.status === 'failed') return null
    await startLockedRun(tx, run.id)
    await updateStages(tx, run.versionId, ownLanes, 'running')
    return run
  })

/**
 * Judges the audio of a version and makes it ready or failed. Done again, by a worker that took over from one that
 * died or was thought to have, it settles the run once.
 */
export const processVersion = async (runId: string, ports: JobPorts, signal: AbortSignal) => {
  const run = await beginRun(runId, ports)
  const audio = run && (await findVersionAudio(ports.db.read, run.versionId))
  if (!run || !audio) return
  const found = await withAssetBytes(audio, ports, signal, (path) =>
    analyseAudioInChild(path, audio.contentType, signal),
  )
  if (!found) return
  if (found.failure?.code === limitFailure.code)
    ports.log.warn({ versionId: run.versionId }, 'analysis limit exceeded')
  await ports.db.tx((tx) => completeVersion(tx, run, audio, found, ports.analysis !== null))
}
