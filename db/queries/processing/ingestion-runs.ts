import { desc, eq, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead, requireRow } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { ingestionRuns } from '../../schema/processing.ts'
import type { Failure } from '../jobs/failure.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

export type IngestionRun = typeof ingestionRuns.$inferSelect
export type RunTrigger = IngestionRun['trigger']

export const insertIngestionRun = async (
  tx: Queryable,
  run: { readonly trackId: string; readonly versionId: string; readonly trigger: RunTrigger },
) =>
  requireRow(
    await tx
      .insert(ingestionRuns)
      .values({
        id: newId(),
        ...run,
        startedAt: null,
        completedAt: null,
        errorCode: null,
        errorMessage: null,
      })
      .returning(),
  )

const latestRunOfTrack = preparedRead((db) =>
  db
    .select()
    .from(ingestionRuns)
    .where(eq(ingestionRuns.trackId, sql.placeholder('trackId')))
    .orderBy(desc(ingestionRuns.createdAt), desc(ingestionRuns.id))
    .limit(1)
    .prepare('latest_run_of_track'),
)

export const findLatestIngestionRun = async (db: Reader, trackId: string) =>
  firstRow(await latestRunOfTrack(db).execute({ trackId }))

export const findIngestionRun = async (db: Reader, runId: string) =>
  firstRow(await db.select().from(ingestionRuns).where(eq(ingestionRuns.id, runId)))

export const lockIngestionRun = async (tx: Queryable, runId: string) =>
  firstRow(await tx.select().from(ingestionRuns).where(eq(ingestionRuns.id, runId)).for('update'))

export const startLockedRun = (tx: Queryable, runId: string) =>
  tx
    .update(ingestionRuns)
    .set({
      status: 'running',
      startedAt: sql`coalesce(${ingestionRuns.startedAt}, ${statementTimestamp})`,
      updatedAt: statementTimestamp,
    })
    .where(eq(ingestionRuns.id, runId))

export const findLatestRunOfVersion = async (db: Reader, versionId: string) =>
  firstRow(
    await db
      .select()
      .from(ingestionRuns)
      .where(eq(ingestionRuns.versionId, versionId))
      .orderBy(desc(ingestionRuns.createdAt), desc(ingestionRuns.id))
      .limit(1),
  )

export const queueLockedRun = (tx: Queryable, runId: string) =>
  tx
    .update(ingestionRuns)
    .set({
      status: 'queued',
      completedAt: null,
      errorCode: null,
      errorMessage: null,
      updatedAt: statementTimestamp,
    })
    .where(eq(ingestionRuns.id, runId))

export const completeLockedRun = (tx: Queryable, runId: string, failure: Failure | null) =>
  tx
    .update(ingestionRuns)
    .set({
      status: failure ? 'failed' : 'succeeded',
      completedAt: statementTimestamp,
      updatedAt: statementTimestamp,
      errorCode: failure?.code ?? null,
      errorMessage: failure?.message ?? null,
    })
    .where(eq(ingestionRuns.id, runId))
