import { randomUUID } from 'node:crypto'
import type { CoreResponse, RunningCore } from './running-core.ts'

export const lanes = ['playback', 'waveform', 'tags', 'stems', 'lyrics', 'embeddings']

interface VersionOptions {
  readonly status?: 'processing' | 'ready' | 'failed'
  readonly durationMs?: number
}

export const storeVersion = async (
  { sql }: RunningCore,
  trackId: string,
  { status = 'ready', durationMs = 180_000 }: VersionOptions = {},
) => {
  const [versionId, assetId] = [randomUUID(), randomUUID()]
  const storageKey = `assets/${assetId}`
  await sql.begin(async (tx) => {
    const [track] = await tx`select last_version_number + 1 as number from tracks where id = ${trackId}`
    await tx`
      insert into track_versions (id, track_id, version_number, status, duration_ms, sample_rate, channels)
      values (${versionId}, ${trackId}, ${track!.number}, ${status}, ${durationMs}, 44100, 2)`
    await tx`
      insert into media_assets (id, track_id, version_id, kind, status, file_name, content_type, byte_size, storage_key)
      values (${assetId}, ${trackId}, ${versionId}, 'original', ${status}, 'tide.wav', 'audio/wav', 1000, ${storageKey})`
    await tx`
      update tracks set last_version_number = ${track!.number},
        current_version_id = coalesce(current_version_id, ${versionId})
      where id = ${trackId}`
  })
  return { versionId, storageKey }
}

export const setLane = ({ sql }: RunningCore, trackId: string, lane: string, status: string) => sql`
  insert into processing_lanes (track_id, lane, status) values (${trackId}, ${lane}, ${status})
  on conflict (track_id, lane) do update set status = ${status}`

export const readLaneStatuses = ({ body }: CoreResponse) => lanes.map((lane) => body.readiness[lane].status)
