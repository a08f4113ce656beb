import { type Lane, type ProcessingStatus, status } from '#contracts/tracks.processing.ts'
import { describeFailure } from '#db/queries/jobs/failure.ts'
import { listMediaAssets } from '#db/queries/media/media-assets.ts'
import { listMediaDispatches } from '#db/queries/media/media-dispatches.ts'
import { findLatestIngestionRun, type IngestionRun } from '#db/queries/processing/ingestion-runs.ts'
import { listProcessingLanes, listProcessingStages } from '#db/queries/processing/processing-stages.ts'
import { defineRoute } from '../define-route.ts'

type Lanes = Awaited<ReturnType<typeof listProcessingLanes>>

const addFailure = <R extends Parameters<typeof describeFailure>[0]>(row: R) => ({
  ...row,
  error: describeFailure(row),
})

const presentRun = (run: IngestionRun | null) => (run ? { ingestionRun: addFailure(run) } : {})

const presentLaneReadiness = (lanes: Lanes, lane: Lane) => {
  const { status = 'pending', updatedAt = null } = lanes.find((known) => known.lane === lane) ?? {}
  return { status, ready: status === 'ready', updatedAt }
}

const presentReadiness = (lanes: Lanes): ProcessingStatus['readiness'] => ({
  playback: presentLaneReadiness(lanes, 'playback'),
  waveform: presentLaneReadiness(lanes, 'waveform'),
  tags: presentLaneReadiness(lanes, 'tags'),
  stems: presentLaneReadiness(lanes, 'stems'),
  lyrics: presentLaneReadiness(lanes, 'lyrics'),
  embeddings: presentLaneReadiness(lanes, 'embeddings'),
})

export const showProcessingStatus = defineRoute(status, async ({ track }, { db }) => {
  const [run, lanes, assets, dispatches] = await Promise.all([
    findLatestIngestionRun(db.read, track.id),
    listProcessingLanes(db.read, track.id),
    listMediaAssets(db.read, track.id),
    listMediaDispatches(db.read, track.id),
  ])
  const stages = run ? await listProcessingStages(db.read, run.versionId) : []
  return {
    trackId: track.id,
    stages: stages.map(addFailure),
    assets,
    remoteDispatches: dispatches.map(addFailure),
    ...presentRun(run),
    readiness: presentReadiness(lanes),
  }
})
