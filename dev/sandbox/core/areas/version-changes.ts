import { v7 as uuidv7 } from 'uuid'
import { CoreError } from '../core-error.ts'
import { type Queryable, requireRow } from '../database.ts'
import { queueJob } from '../job-queue.ts'

interface StoredVersion {
  readonly id: string
  readonly isOriginal: boolean
  readonly isCurrent: boolean
  readonly status: 'processing' | 'ready' | 'failed'
}

export const analysisLanes = ['tags', 'stems', 'lyrics', 'embeddings']
export const allLanes = ['playback', 'waveform', ...analysisLanes]

export const upsertLanes = (tx: Queryable, trackId: string, lanes: readonly string[], status: string) => tx`
  insert into processing_lanes (track_id, lane, status)
  select ${trackId}, lane, ${status} from unnest(${[...lanes]}::text[]) as requested(lane)
  on conflict (track_id, lane) do update set status = ${status}, updated_at = now()`

/** The stages share `created_at`, so they are listed by id. */
export const upsertStages = (
  tx: Queryable,
  trackId: string,
  versionId: string,
  lanes: readonly string[],
) => tx`
  insert into processing_stages (id, track_id, version_id, lane, status)
  select id, ${trackId}, ${versionId}, lane, 'queued'
  from unnest(${lanes.map(() => uuidv7())}::text[], ${[...lanes]}::text[]) as requested(id, lane)
  on conflict (version_id, lane) do update set status = 'queued', progress = null, started_at = null,
    completed_at = null, error_code = null, error_message = null, updated_at = now()`

const queueRun = async (tx: Queryable, trackId: string, versionId: string, trigger: 'upload' | 'promote') => {
  const runId = uuidv7()
  await tx`insert into ingestion_runs ${tx({ id: runId, trackId, versionId, trigger, status: 'queued' })}`
  await upsertStages(tx, trackId, versionId, allLanes)
  await queueJob(tx, { queue: 'process-version', runId })
}

/** Adds an unprocessed version. A track's first version is its original and becomes current. */
export const addVersion = async (tx: Queryable, trackId: string, versionId: string) => {
  const { versionNumber } = requireRow(
    await tx<{ versionNumber: number }[]>`
      select last_version_number + 1 as version_number from tracks where id = ${trackId} for update`,
  )
  await tx`insert into track_versions ${tx({ id: versionId, trackId, versionNumber, status: 'processing' })}`
  await tx`
    update tracks set last_version_number = ${versionNumber},
      current_version_id = coalesce(current_version_id, ${versionId}),
      processing_state = case when current_version_id is null then 'processing' else processing_state end,
      updated_at = now()
    where id = ${trackId}`
  if (versionNumber === 1) await upsertLanes(tx, trackId, allLanes, 'processing')
  await queueRun(tx, trackId, versionId, 'upload')
}

export const lockVersion = async (tx: Queryable, trackId: string, versionId: string | null) => {
  const [track] = await tx`select 1 from tracks where id = ${trackId} for update`
  if (!track) throw new CoreError('track_not_found')
  const [version] = await tx<StoredVersion[]>`
    select versions.id, is_original, versions.id = current_version_id as is_current, versions.status
    from track_versions versions join tracks on tracks.id = track_id
    where versions.id = ${versionId} and track_id = ${trackId}`
  if (!version) throw new CoreError('version_not_found')
  return version
}

/** Makes a version current and queues its processing, which replaces the previous version's results. */
export const makeCurrent = async (tx: Queryable, trackId: string, versionId: string) => {
  const { status } = requireRow(
    await tx<StoredVersion[]>`
      update tracks set current_version_id = versions.id, duration_ms = versions.duration_ms,
        processing_state = case versions.status when 'ready' then 'ready' else 'processing' end, updated_at = now()
      from track_versions versions
      where tracks.id = ${trackId} and versions.id = ${versionId} and versions.track_id = tracks.id
      returning versions.status`,
  )
  await upsertLanes(tx, trackId, ['playback'], status === 'ready' ? status : 'processing')
  await upsertLanes(tx, trackId, ['waveform', ...analysisLanes], 'processing')
  await queueRun(tx, trackId, versionId, 'promote')
}
