import type { Queryable } from '#db/client/connection.ts'
import {
  type DeadLetter,
  deleteCopyOfDeadLetter,
  deleteLockedDeadLetter,
  listDeadLetters,
  lockDeadLetter,
} from '#db/queries/jobs/dead-letters.ts'
import { isInfrastructureCode } from '#db/queries/jobs/failure.ts'
import { insertJob, type StoredJob } from '#db/queries/jobs/jobs.ts'
import { findMediaAsset, updateMediaAsset } from '#db/queries/media/media-assets.ts'
import {
  findLatestDispatchOfVersion,
  findMediaDispatch,
  lockMediaDispatch,
  reopenLockedDispatch,
} from '#db/queries/media/media-dispatches.ts'
import { reopenUnsentInvitation } from '#db/queries/packs/pack-invitations.ts'
import {
  findIngestionRun,
  findLatestRunOfVersion,
  lockIngestionRun,
  queueLockedRun,
} from '#db/queries/processing/ingestion-runs.ts'
import { listFailedLanes, queueStages, updateLanes } from '#db/queries/processing/processing-stages.ts'
import { reopenVersion } from '#db/queries/processing/version-processing.ts'
import { findTrackVersion } from '#db/queries/tracks/track-versions.ts'
import { lockTrack } from '#db/queries/tracks/tracks.ts'
import type { JobPorts } from './ports.ts'

export type JobQueue = DeadLetter['queue']

export const jobQueues: readonly JobQueue[] = [
  'process-version',
  'check-asset',
  'dispatch-analysis',
  'import-stems',
  'send-invitation',
  'notify-operators',
]

// Each of these functions returns whether the job's work is still needed. Work that is not yet marked as failed is left
// unchanged.

const reopenRun = async (tx: Queryable, runId: string) => {
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
}

const reopenAsset = async (tx: Queryable, assetId: string) => {
  const found = await findMediaAsset(tx, assetId)
  const asset = found && (await lockTrack(tx, found.trackId)) && (await findMediaAsset(tx, assetId))
  if (!asset || asset.status === 'ready') return false
  await updateMediaAsset(tx, asset.id, { status: 'processing' })
  return true
}

const reopenDispatch = async (tx: Queryable, dispatchId: string, status: 'queued' | 'running') => {
  const found = await findMediaDispatch(tx, dispatchId)
  const track = found && (await lockTrack(tx, found.trackId))
  const dispatch = track && (await lockMediaDispatch(tx, dispatchId))
  if (!track || dispatch?.status !== 'failed') return dispatch?.status === status
  const { versionId, errorCode } = dispatch
  const latest = await findLatestDispatchOfVersion(tx, versionId)
  const isNeeded = latest?.id === dispatch.id && track.currentVersionId === versionId
  if (!isNeeded || !isInfrastructureCode(errorCode)) return false
  const lanes = await listFailedLanes(tx, versionId, errorCode)
  if (lanes.length > 0) await queueStages(tx, { trackId: track.id, versionId }, lanes)
  await updateLanes(tx, track.id, lanes, 'processing')
  await reopenLockedDispatch(tx, dispatch.id, status)
  return true
}

const reopenWork = (tx: Queryable, job: StoredJob): Promise<boolean> => {
  switch (job.queue) {
    case 'process-version':
      return reopenRun(tx, job.runId)
    case 'check-asset':
      return reopenAsset(tx, job.assetId)
    case 'dispatch-analysis':
      return reopenDispatch(tx, job.dispatchId, 'queued')
    case 'import-stems':
      return reopenDispatch(tx, job.dispatchId, 'running')
    case 'send-invitation':
      return reopenUnsentInvitation(tx, job.invitationId)
    case 'notify-operators':
      return Promise.resolve(true)
  }
}

type Outcome = 'redriven' | 'obsolete' | 'busy'

const redriveJob = async (tx: Queryable, letter: DeadLetter): Promise<Outcome | null> => {
  const stored = await lockDeadLetter(tx, letter)
  if (!stored) return null
  if (!(await deleteCopyOfDeadLetter(tx, letter))) return 'busy'
  await deleteLockedDeadLetter(tx, letter)
  if (!(await reopenWork(tx, stored))) return 'obsolete'
  const { outage: _, ...job } = stored
  await insertJob(tx, job)
  return 'redriven'
}

export type RedriveCounts = Readonly<Record<Outcome, number>>

/**
 * Each job has its own transaction. Safe to run several times at once and while workers run. Returns counts for each
 * queue that had dead-lettered jobs.
 */
export const redrive = async (db: JobPorts['db'], queue: JobQueue | null) => {
  const counts = new Map<JobQueue, RedriveCounts>()
  for (const letter of await db.tx((tx) => listDeadLetters(tx, queue))) {
    const outcome = await db.tx((tx) => redriveJob(tx, letter))
    const known = counts.get(letter.queue) ?? { redriven: 0, obsolete: 0, busy: 0 }
    if (outcome) counts.set(letter.queue, { ...known, [outcome]: known[outcome] + 1 })
  }
  return counts
}
