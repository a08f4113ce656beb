import { and, asc, desc, eq, lt, not, type SQL, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { ingestionRuns, mediaDispatchCallbacks, mediaDispatches } from '../../schema/processing.ts'
import { type Failure, failureColumns } from '../jobs/failure.ts'
import type { PageRange } from '../page-range.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

export type MediaDispatch = typeof mediaDispatches.$inferSelect

const isUnfinished = sql`${mediaDispatches.status} in ('queued', 'dispatched', 'running')`

const dispatchesOfTrack = preparedRead((db) =>
  db
    .select()
    .from(mediaDispatches)
    .where(eq(mediaDispatches.trackId, sql.placeholder('trackId')))
    .orderBy(asc(mediaDispatches.createdAt), asc(mediaDispatches.id))
    .prepare('dispatches_of_track'),
)

export const listMediaDispatches = (db: Reader, trackId: string) => dispatchesOfTrack(db).execute({ trackId })

/** Returns null if the version already has an unfinished dispatch. */
export const insertMediaDispatch = async (
  tx: Queryable,
  version: { readonly trackId: string; readonly versionId: string },
) =>
  firstRow(
    await tx
      .insert(mediaDispatches)
      .values({
        id: newId(),
        ...version,
        remoteId: null,
        ...failureColumns(null),
        dispatchedAt: null,
        completedAt: null,
      })
      .onConflictDoNothing()
      .returning(),
  )

export const findUnfinishedDispatch = async (db: Reader, versionId: string) =>
  firstRow(
    await db
      .select()
      .from(mediaDispatches)
      .where(and(eq(mediaDispatches.versionId, versionId), isUnfinished)),
  )

export const findMediaDispatch = async (db: Reader, dispatchId: string) =>
  firstRow(await db.select().from(mediaDispatches).where(eq(mediaDispatches.id, dispatchId)))

export const lockMediaDispatch = async (tx: Queryable, dispatchId: string) =>
  firstRow(await tx.select().from(mediaDispatches).where(eq(mediaDispatches.id, dispatchId)).for('update'))

const updateDispatches = async (
  tx: Queryable,
  condition: SQL | undefined,
  change: PgUpdateSetSource<typeof mediaDispatches>,
) => {
  await tx
    .update(mediaDispatches)
    .set({ ...change, updatedAt: statementTimestamp })
    .where(condition)
}

const hasId = (dispatchId: string) => eq(mediaDispatches.id, dispatchId)

export const countDispatchAttempt = (tx: Queryable, dispatchId: string) =>
  updateDispatches(tx, hasId(dispatchId), { attempt: sql`${mediaDispatches.attempt} + 1` })

/** Does nothing if a callback was processed first. */
export const markDispatched = (tx: Queryable, dispatchId: string) =>
  updateDispatches(tx, and(hasId(dispatchId), sql`${mediaDispatches.status} = 'queued'`), {
    status: 'dispatched',
    dispatchedAt: statementTimestamp,
  })

export const findLatestDispatchOfVersion = async (db: Reader, versionId: string) =>
  firstRow(
    await db
      .select()
      .from(mediaDispatches)
      .where(eq(mediaDispatches.versionId, versionId))
      .orderBy(desc(mediaDispatches.createdAt), desc(mediaDispatches.id))
      .limit(1),
  )

/** Lets a locked, failed dispatch continue at the point where its job ended. */
export const reopenLockedDispatch = (tx: Queryable, dispatchId: string, status: 'queued' | 'running') =>
  updateDispatches(tx, hasId(dispatchId), { status, completedAt: null, ...failureColumns(null) })

export const markDispatchRunning = (tx: Queryable, dispatchId: string) =>
  updateDispatches(tx, hasId(dispatchId), { status: 'running' })

const endDispatches = (tx: Queryable, condition: SQL | undefined, failure: Failure | null) =>
  updateDispatches(tx, condition, {
    status: failure ? 'failed' : 'succeeded',
    completedAt: statementTimestamp,
    ...failureColumns(failure),
  })

export const completeLockedDispatch = (tx: Queryable, dispatchId: string, failure: Failure | null) =>
  endDispatches(tx, hasId(dispatchId), failure)

// A dispatch with a job is not overdue, because the job may be waiting for a worker or for infrastructure.
const hasJob = sql`exists (
  select from pgboss.job
  where name in ('dispatch-analysis', 'import-stems', 'lost-jobs') and state < 'completed'
    and data->>'dispatchId' = ${mediaDispatches.id})`

// The dispatch's job is inserted once the audio is found to be valid.
const awaitsAudio = sql`(${mediaDispatches.status} = 'queued' and exists (
  select from ${ingestionRuns}
  where ${ingestionRuns.versionId} = ${mediaDispatches.versionId} and ${ingestionRuns.status} in ('queued', 'running')))`

/**
 * Returns the version's dispatch that still has no job to send it, because a retry created it before the audio was
 * found valid.
 */
export const findDispatchWithoutJob = async (db: Reader, versionId: string) =>
  firstRow(
    await db
      .select()
      .from(mediaDispatches)
      .where(
        and(
          eq(mediaDispatches.versionId, versionId),
          isUnfinished,
          eq(mediaDispatches.status, 'queued'),
          not(hasJob),
        ),
      ),
  )

/**
 * Lists unfinished dispatches that have not been updated since `before`, except those that a job will send or complete.
 */
export const listOverdueDispatches = (db: Reader, before: string, limit: number) =>
  db
    .select({ id: mediaDispatches.id })
    .from(mediaDispatches)
    .where(and(isUnfinished, lt(mediaDispatches.updatedAt, before), not(hasJob), not(awaitsAudio)))
    .orderBy(asc(mediaDispatches.createdAt))
    .limit(limit)

export const listQueuedDispatches = (db: Reader, { after, limit }: PageRange) =>
  db
    .select()
    .from(mediaDispatches)
    .where(
      and(
        isUnfinished,
        eq(mediaDispatches.status, 'queued'),
        after
          ? sql`(${mediaDispatches.createdAt}, ${mediaDispatches.id}) > (${after.at}::timestamptz, ${after.id})`
          : undefined,
      ),
    )
    .orderBy(asc(mediaDispatches.createdAt), asc(mediaDispatches.id))
    .limit(limit)

const superseded = { code: 'superseded', message: 'Another version has become the current one.' }

/** Fails the unfinished dispatches of a track's other versions, because their results are no longer needed. */
export const supersedeDispatchesOfOtherVersions = (tx: Queryable, trackId: string, versionId: string) => {
  const isOfOtherVersion = sql`${mediaDispatches.versionId} <> ${versionId}`
  return endDispatches(
    tx,
    and(eq(mediaDispatches.trackId, trackId), isUnfinished, isOfOtherVersion),
    superseded,
  )
}

export const supersedeLockedDispatch = (tx: Queryable, dispatchId: string) =>
  endDispatches(tx, hasId(dispatchId), superseded)

export const insertDispatchCallback = async (
  tx: Queryable,
  callback: typeof mediaDispatchCallbacks.$inferInsert,
) => {
  const inserted = await tx
    .insert(mediaDispatchCallbacks)
    .values(callback)
    .onConflictDoNothing()
    .returning({ callbackId: mediaDispatchCallbacks.callbackId })
  return inserted.length > 0
}
