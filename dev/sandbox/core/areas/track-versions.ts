import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import type { Queryable } from '../database.ts'
import { pathId } from '../input.ts'
import { requireOwnedTrackId } from '../track-scope.ts'
import { lockVersion, makeCurrent } from './version-changes.ts'

interface VersionRow {
  readonly id: string
  readonly isCurrent: boolean
}

const listVersions = async (sql: Queryable, trackId: string) => {
  const versions = await sql<VersionRow[]>`
    select versions.id, version_number, label, is_original, versions.id = current_version_id as is_current,
      versions.status, file_name, content_type, byte_size::float8 as byte_size, versions.duration_ms, sample_rate,
      channels, assets.id as asset_id, versions.created_at
    from track_versions versions
      join tracks on tracks.id = versions.track_id
      join media_assets assets on assets.version_id = versions.id and assets.kind = 'original'
    where versions.track_id = ${trackId} order by version_number`
  const current = versions.find((version) => version.isCurrent)
  return { trackId, currentVersionId: current?.id ?? null, versions }
}

export const trackVersions: RegisterRoutes = (app, { sql }) => {
  app.get('/v1/tracks/:trackId/versions', (request) => listVersions(sql, requireOwnedTrackId(request)))

  app.post('/v1/tracks/:trackId/versions/:versionId/promote', async (request) => {
    const trackId = requireOwnedTrackId(request)
    return sql.begin(async (tx) => {
      const version = await lockVersion(tx, trackId, pathId(request, 'versionId'))
      if (!version.isCurrent && version.status !== 'ready') throw new CoreError('version_not_ready')
      if (!version.isCurrent) await makeCurrent(tx, trackId, version.id)
      return listVersions(tx, trackId)
    })
  })

  app.delete('/v1/tracks/:trackId/versions/:versionId', async (request) => {
    const trackId = requireOwnedTrackId(request)
    return sql.begin(async (tx) => {
      const version = await lockVersion(tx, trackId, pathId(request, 'versionId'))
      if (version.isOriginal) throw new CoreError('original_version_cannot_be_deleted')
      const [original] = await tx<VersionRow[]>`
        select id from track_versions where track_id = ${trackId} and is_original`
      if (version.isCurrent && original) await makeCurrent(tx, trackId, original.id)
      await tx`delete from track_versions where id = ${version.id}`
      return listVersions(tx, trackId)
    })
  })
}
