import type { RegisterRoutes } from '../create-app.ts'
import { secondsFromNow } from '../object-storage.ts'
import { requireOwnedTrackId } from '../track-scope.ts'

interface AssetRow {
  readonly kind: 'artwork' | 'document'
  readonly status: 'processing' | 'ready' | 'failed'
  readonly fileName: string
  readonly contentType: string
  readonly storageKey: string
}

export const trackMediaAssets: RegisterRoutes = (app, { sql, storage, settings }) => {
  const withUrl = async ({ storageKey, ...asset }: AssetRow) => {
    if (asset.status !== 'ready') return { ...asset, url: null, urlExpiresAt: null }
    const urlExpiresAt = secondsFromNow(settings.DOWNLOAD_URL_TTL_S)
    const url = await storage.signReading(storageKey, asset, settings.DOWNLOAD_URL_TTL_S)
    return { ...asset, url, urlExpiresAt }
  }

  app.get('/v1/tracks/:trackId/media-assets', async (request) => {
    const trackId = requireOwnedTrackId(request)
    const rows = await sql<AssetRow[]>`
      select id, kind, file_name, content_type, byte_size::float8 as byte_size, status, is_primary, width, height,
        document_type, title, storage_key, created_at, updated_at
      from media_assets where track_id = ${trackId} and kind in ('artwork', 'document')
      order by created_at desc, id desc`
    const assets = await Promise.all(rows.map(withUrl))
    return {
      trackId,
      artwork: assets.filter((asset) => asset.kind === 'artwork'),
      documents: assets.filter((asset) => asset.kind === 'document'),
    }
  })
}
