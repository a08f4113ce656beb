import { and, asc, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Queryable, Reader } from '../../client/connection.ts'
import { preparedRead } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { processingLanes, processingStages } from '../../schema/processing.ts'
import { type Failure, failureColumns } from '../jobs/failure.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

export type ProcessingLane = (typeof processingLanes.$inferSelect)['lane']
export const allLanes: readonly ProcessingLane[] = processingLanes.lane.enumValues
/** The lanes that may still fail, or be processed again, once the audio was found playable. */
export const lanesAfterPlayback = allLanes.filter((lane) => lane !== 'playback')
export const analysedLanes = lanesAfterPlayback.filter((lane) => lane !== 'waveform')

type LaneStatus = (typeof processingLanes.$inferSelect)['status']

const lanesOfTrack = preparedRead((db) =>
  db
    .select()
    .from(processingLanes)
    .where(eq(processingLanes.trackId, sql.placeholder('trackId')))
    .prepare('lanes_of_track'),
)

export const listProcessingLanes = (db: Reader, trackId: string) => lanesOfTrack(db).execute({ trackId })

export const updateLanes = async (
  tx: Queryable,
  trackId: string,
  lanes: readonly ProcessingLane[],
  status: LaneStatus,
) => {
  if (lanes.length === 0) return
  await tx
    .insert(processingLanes)
    .values(lanes.map((lane) => ({ trackId, lane, status, updatedAt: statementTimestamp })))
    .onConflictDoUpdate({
      target: [processingLanes.trackId, processingLanes.lane],
      set: { status, updatedAt: statementTimestamp },
    })
}

type StageStatus = (typeof processingStages.$inferSelect)['status']

const stagesOfVersion = preparedRead((db) =>
  db
    .select()
    .from(processingStages)
    .where(eq(processingStages.versionId, sql.placeholder('versionId')))
    .orderBy(asc(processingStages.createdAt), asc(processingStages.id))
    .prepare('stages_of_version'),
)

export const listProcessingStages = (db: Reader, versionId: string) =>
  stagesOfVersion(db).execute({ versionId })

const columnsByStatus = {
  pending: { progress: null, startedAt: null, completedAt: null },
  queued: { progress: null, startedAt: null, completedAt: null },
  running: {
    progress: null,
    startedAt: statementTimestamp,
    completedAt: null,
    attempt: sql`${processingStages.attempt} + 1`,
  },
  succeeded: { progress: 1, completedAt: statementTimestamp },
  failed: { completedAt: statementTimestamp },
  skipped: { completedAt: statementTimestamp },
} satisfies Readonly<Record<StageStatus, PgUpdateSetSource<typeof processingStages>>>

export const queueStages = async (
  tx: Queryable,
  version: { readonly trackId: string; readonly versionId: string },
  lanes: readonly ProcessingLane[],
) => {
  const queued = { status: 'queued' as const, ...failureColumns(null), ...columnsByStatus.queued }
  await tx
    .insert(processingStages)
    .values(lanes.map((lane) => ({ id: newId(), ...version, lane, ...queued })))
    .onConflictDoUpdate({
      target: [processingStages.versionId, processingStages.lane],
      set: { ...queued, updatedAt: statementTimestamp },
    })
}

const isUnfinished = inArray(processingStages.status, ['queued', 'running'])
const isInLanes = (versionId: string, lanes: readonly ProcessingLane[]) =>
  and(eq(processingStages.versionId, versionId), inArray(processingStages.lane, [...lanes]))

const setStatus = async (
  tx: Queryable,
  condition: SQL | undefined,
  status: StageStatus,
  failure: Failure | null,
) => {
  await tx
    .update(processingStages)
    .set({
      ...columnsByStatus[status],
      status,
      ...failureColumns(failure),
      updatedAt: statementTimestamp,
    })
    .where(condition)
}

export const postponeStages = (
  tx: Queryable,
  versionId: string,
  lanes: readonly ProcessingLane[],
  failure: Failure,
) => setStatus(tx, and(isInLanes(versionId, lanes), isUnfinished), 'queued', failure)

/** Sets the postponed stages of these lanes to `running`, which counts another attempt. */
export const resumeStages = (tx: Queryable, versionId: string, lanes: readonly ProcessingLane[]) => {
  const isPostponed = and(isUnfinished, isNotNull(processingStages.errorCode))
  return setStatus(tx, and(isInLanes(versionId, lanes), isPostponed), 'running', null)
}

/** Setting `running` also counts an attempt. */
export const updateStages = async (
  tx: Queryable,
  versionId: string,
  lanes: readonly ProcessingLane[],
  status: StageStatus,
  failure: Failure | null = null,
) => {
  if (lanes.length > 0) await setStatus(tx, isInLanes(versionId, lanes), status, failure)
}

const stageStatuses = {
  ready: 'succeeded',
  failed: 'failed',
  skipped: 'skipped',
  processing: 'running',
} as const

export const updateStagesAndLanes = async (
  tx: Queryable,
  version: { readonly trackId: string; readonly versionId: string; readonly isCurrent: boolean },
  lanes: readonly ProcessingLane[],
  status: keyof typeof stageStatuses,
  failure: Failure | null = null,
) => {
  await updateStages(tx, version.versionId, lanes, stageStatuses[status], failure)
  // A stage belongs to its version, but a lane belongs to the track's current version.
  if (version.isCurrent) await updateLanes(tx, version.trackId, lanes, status)
}

export const listFailedAnalysedLanes = async (
  db: Reader,
  versionId: string,
  code: string,
): Promise<readonly ProcessingLane[]> => {
  const failed = await db
    .select({ lane: processingStages.lane })
    .from(processingStages)
    .where(
      and(
        isInLanes(versionId, analysedLanes),
        eq(processingStages.status, 'failed'),
        eq(processingStages.errorCode, code),
      ),
    )
  return failed.map(({ lane }) => lane)
}
