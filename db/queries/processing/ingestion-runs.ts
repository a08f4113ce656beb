import { desc, eq, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead, requireRow } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { ingestionRuns } from '../../schema/processing.ts'
import { type Failure, failureColumns } from '../jobs/failure.ts'
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
      .values({ id: newId(), ...run, startedAt: null, completedAt: null, ...failureColumns(null) })
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

const updateRun = (tx: Queryable, runId: string, change: PgUpdateSetSource<typeof ingestionRuns>) =>
  tx
    .update(ingestionRuns)
    .set({ ...change, updatedAt: statementTimestamp })
    .where(eq(ingestionRuns.id, runId))

export const startLockedRun = (tx: Queryable, runId: string) =>
  updateRun(tx, runId, {
    status: 'running',
    startedAt: sql`coalesce(${ingestionRuns.startedAt}, ${statementTimestamp})`,
  })

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
  updateRun(tx, runId, { status: 'queued', completedAt: null, ...failureColumns(null) })

export const completeLockedRun = (tx: Queryable, runId: string, failure: Failure | null) =>
  updateRun(tx, runId, {
    status: failure ? 'failed' : 'succeeded',
    completedAt: statementTimestamp,
    ...failureColumns(failure),
  })
