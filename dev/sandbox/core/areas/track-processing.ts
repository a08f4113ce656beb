import { v7 as uuidv7 } from 'uuid'
import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import { type Queryable, requireRow } from '../database.ts'
import { queueJob } from '../job-queue.ts'
import { requireOwnedTrackId } from '../track-scope.ts'
import { allLanes, analysisLanes, upsertLanes, upsertStages } from './version-changes.ts'

interface RowWithError {
  readonly errorCode: string | null
  readonly errorMessage: string | null
}

interface LaneRow {
  readonly lane: string
  readonly status: string
  readonly updatedAt: Date
}

const withError = ({ errorCode, errorMessage, ...row }: RowWithError) => ({
  ...row,
  error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
})

const buildReadiness = (rows: readonly LaneRow[]) =>
  Object.fromEntries(
    allLanes.map((lane) => {
      const { status, updatedAt } = rows.find((row) => row.lane === lane) ?? {
        status: 'pending',
        updatedAt: null,
      }
      return [lane, { status, ready: status === 'ready', updatedAt }]
    }),
  )

/** Reads the status. Stages describe the version that was processed last; lanes describe the current version. */
const readStatus = async (sql: Queryable, trackId: string) => {
  const stages = await sql<RowWithError[]>`
    select id, lane, status, attempt, progress, started_at, completed_at, error_code, error_message, updated_at
    from processing_stages
    where version_id = (
      select version_id from ingestion_runs where track_id = ${trackId} order by created_at desc, id desc limit 1)
    order by created_at, id`
  const assets = await sql`
    select id, kind, status, version_id, content_type, byte_size::float8 as byte_size, created_at
    from media_assets where track_id = ${trackId} order by created_at, id`
  const dispatches = await sql<RowWithError[]>`
    select id, kind, status, attempt, dispatched_at, completed_at, error_code, error_message
    from media_dispatches where track_id = ${trackId} order by created_at, id`
  const [run] = await sql<RowWithError[]>`
    select id, trigger, status, started_at, completed_at, error_code, error_message
    from ingestion_runs where track_id = ${trackId} order by created_at desc, id desc limit 1`
  const lanes = await sql<LaneRow[]>`
    select lane, status, updated_at from processing_lanes where track_id = ${trackId}`
  return {
    trackId,
    stages: stages.map(withError),
    assets,
    remoteDispatches: dispatches.map(withError),
    ...(run && { ingestionRun: withError(run) }),
    readiness: buildReadiness(lanes),
  }
}

/** Locks the track, so that only one of several concurrent requests dispatches the analysis. */
const lockCurrentVersion = async (tx: Queryable, trackId: string) => {
  const [version] = await tx<{ id: string; status: string }[]>`
    select versions.id, versions.status
    from tracks join track_versions versions on versions.id = current_version_id
    where tracks.id = ${trackId} for update of tracks`
  if (!version) throw new CoreError('version_not_ready')
  return version
}

const retryAnalysis = async (tx: Queryable, trackId: string) => {
  const version = await lockCurrentVersion(tx, trackId)
  const [running] = await tx<{ id: string }[]>`
    select id from media_dispatches
    where version_id = ${version.id} and kind = 'media_intelligence'
      and status in ('queued', 'dispatched', 'running')`
  if (running) return { trackId, dispatchId: running.id, status: 'already_running' }
  if (version.status !== 'ready') throw new CoreError('version_not_ready')
  const { id: dispatchId } = requireRow(
    await tx<{ id: string }[]>`
      insert into media_dispatches ${tx({ id: uuidv7(), trackId, versionId: version.id })} returning id`,
  )
  await upsertLanes(tx, trackId, analysisLanes, 'processing')
  await upsertStages(tx, trackId, version.id, analysisLanes)
  await queueJob(tx, { queue: 'dispatch-analysis', dispatchId })
  return { trackId, dispatchId, status: 'dispatched' }
}

export const trackProcessing: RegisterRoutes = (app, { sql, settings }) => {
  app.get('/v1/tracks/:trackId/processing-status', (request) => readStatus(sql, requireOwnedTrackId(request)))

  app.post('/v1/tracks/:trackId/processing/media-intelligence/retry', async (request, reply) => {
    if (settings.MEDIA_INTELLIGENCE_URL === undefined) throw new CoreError('media_intelligence_unavailable')
    const result = await sql.begin((tx) => retryAnalysis(tx, requireOwnedTrackId(request)))
    return reply.code(result.status === 'dispatched' ? 202 : 200).send(result)
  })
}
