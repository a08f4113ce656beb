import type { TestDatabase } from './database.ts'

type TrackFixtureSql = TestDatabase['sql']

interface NewVersion {
  readonly status?: 'processing' | 'ready' | 'failed'
  readonly label?: string | null
  readonly isCurrent?: boolean
}

export const insertAsset = async (
  sql: TrackFixtureSql,
  trackId: string,
  asset: Readonly<Record<string, string | number | boolean | null>>,
) => {
  const id = crypto.randomUUID()
  await sql`insert into media_assets ${sql({
    id,
    track_id: trackId,
    status: 'ready',
    file_name: 'night-drive.wav',
    content_type: 'audio/wav',
    byte_size: 1024,
    storage_key: `tests/${id}`,
    ...asset,
  })}`
  return id
}

/** Inserts the next version of a track with its file. The first version becomes current; later ones only on request. */
export const insertVersion = async (
  sql: TrackFixtureSql,
  trackId: string,
  { status = 'ready', label = null, isCurrent = false }: NewVersion = {},
) => {
  const id = crypto.randomUUID()
  const assetId = await sql.begin(async (tx) => {
    await tx`
      insert into track_versions (id, track_id, version_number, label, status, duration_ms, sample_rate, channels)
      select ${id}, id, last_version_number + 1, ${label}, ${status}, 201000, 44100, 2
      from tracks where id = ${trackId}`
    await tx`
      update tracks set last_version_number = last_version_number + 1,
        current_version_id = case when ${isCurrent} then ${id} else coalesce(current_version_id, ${id}) end
      where id = ${trackId}`
    const inserted = crypto.randomUUID()
    await tx`insert into media_assets ${tx({
      id: inserted,
      track_id: trackId,
      version_id: id,
      kind: 'original',
      status,
      file_name: 'night-drive.wav',
      content_type: 'audio/wav',
      byte_size: 1024,
      storage_key: `tests/${inserted}`,
    })}`
    return inserted
  })
  return { id, assetId }
}

/** Inserts a stem with its file: an AI stem of `versionId` or, without one, an uploaded stem of the track. */
export const insertStem = async (
  sql: TrackFixtureSql,
  trackId: string,
  {
    versionId = null,
    kind = 'vocals',
  }: {
    readonly versionId?: string | null
    readonly kind?: string
  } = {},
) => {
  const assetId = await insertAsset(sql, trackId, {
    kind: 'stem',
    version_id: versionId,
    file_name: `${kind}.flac`,
    content_type: 'audio/flac',
  })
  const id = crypto.randomUUID()
  await sql`insert into track_stems ${sql({
    id,
    track_id: trackId,
    version_id: versionId,
    asset_id: assetId,
    kind,
    label: kind.toUpperCase(),
    duration_ms: 201000,
    source: versionId === null ? 'upload' : 'ai',
  })}`
  return { id, assetId }
}

export const insertTag = async (
  sql: TrackFixtureSql,
  trackId: string,
  tag: Readonly<Record<string, string | number | boolean | null>> = {},
) => {
  const id = crypto.randomUUID()
  await sql`insert into track_tags ${sql({
    id,
    track_id: trackId,
    category: 'genre',
    value: id,
    label: 'Ambient',
    source: 'ai',
    ...tag,
  })}`
  return id
}
