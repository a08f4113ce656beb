import * as z from 'zod'
import { requireActor } from '../authenticate.ts'
import { CoreError } from '../core-error.ts'
import type { CoreParts, RegisterRoutes } from '../create-app.ts'
import type { Queryable } from '../database.ts'
import { idOrNull, readQuery } from '../input.ts'
import { secondsFromNow } from '../object-storage.ts'
import { requireOwnedTrackId } from '../track-scope.ts'

interface FileRow {
  readonly contentType: string
  readonly fileName: string
  readonly storageKey: string
}

interface AudioRow extends FileRow {
  readonly durationMs: number | null
}

export interface Artwork {
  readonly artworkKey: string | null
  readonly artworkType: string | null
}

type UrlParts = Pick<CoreParts, 'sql' | 'storage' | 'settings'>

const requireAudio = async (sql: Queryable, trackId: string): Promise<AudioRow> => {
  const [audio] = await sql<AudioRow[]>`
    select tracks.id as track_id, versions.id as version_id, assets.id as asset_id, content_type,
      byte_size::float8 as byte_size, versions.duration_ms, file_name, storage_key
    from tracks
      join track_versions versions on versions.id = current_version_id and versions.status = 'ready'
      join media_assets assets on assets.version_id = versions.id and assets.kind = 'original'
    where tracks.id = ${trackId}`
  if (!audio) throw new CoreError('playback_not_found')
  return audio
}

const requireAsset = async (sql: Queryable, trackId: string, assetId: string | null): Promise<FileRow> => {
  const [asset] = await sql<FileRow[]>`
    select track_id, version_id, id as asset_id, content_type, byte_size::float8 as byte_size, file_name, storage_key
    from media_assets where id = ${assetId} and track_id = ${trackId} and status = 'ready'`
  if (!asset) throw new CoreError('asset_not_found')
  return asset
}

export const issuePlaybackUrl = async ({ sql, storage, settings }: UrlParts, trackId: string) => {
  const { fileName, storageKey, ...audio } = await requireAudio(sql, trackId)
  const expiresAt = secondsFromNow(settings.PLAYBACK_URL_TTL_S)
  const file = { fileName, contentType: audio.contentType }
  const url = await storage.signReading(storageKey, file, settings.PLAYBACK_URL_TTL_S)
  return { ...audio, url, expiresAt }
}

const signDownload = async ({ storage, settings }: UrlParts, { storageKey, ...file }: FileRow) => {
  const expiresAt = secondsFromNow(settings.DOWNLOAD_URL_TTL_S)
  const url = await storage.signDownload(storageKey, file, settings.DOWNLOAD_URL_TTL_S)
  return { ...file, url, expiresAt }
}

export const issueDownloadUrl = async (parts: UrlParts, trackId: string) => {
  const { durationMs: _, ...audio } = await requireAudio(parts.sql, trackId)
  return signDownload(parts, audio)
}

const issueAssetUrl = async (parts: UrlParts, trackId: string, assetId: string | null) =>
  signDownload(parts, await requireAsset(parts.sql, trackId, assetId))

export const signArtwork = async (
  { storage, settings }: Omit<UrlParts, 'sql'>,
  { artworkKey, artworkType }: Artwork,
) => {
  if (artworkKey === null || artworkType === null) return { artworkUrl: null, artworkUrlExpiresAt: null }
  const artworkUrlExpiresAt = secondsFromNow(settings.PLAYBACK_URL_TTL_S)
  const file = { fileName: 'artwork', contentType: artworkType }
  const artworkUrl = await storage.signReading(artworkKey, file, settings.PLAYBACK_URL_TTL_S)
  return { artworkUrl, artworkUrlExpiresAt }
}

const DownloadQuery = z.object({ assetId: z.string('expected one value').optional() })

export const trackMediaUrls: RegisterRoutes = (app, parts) => {
  app.get('/v1/tracks/:trackId/playback-url', (request) =>
    issuePlaybackUrl(parts, requireOwnedTrackId(request)),
  )

  app.get('/v1/tracks/:trackId/download-url', async (request) => {
    const trackId = requireOwnedTrackId(request)
    const { assetId } = readQuery(request, DownloadQuery)
    const download =
      assetId === undefined
        ? await issueDownloadUrl(parts, trackId)
        : await issueAssetUrl(parts, trackId, idOrNull(assetId))
    await parts.recordEvent(request, {
      type: 'track.downloaded',
      ownerId: requireActor(request).accountId,
      trackId,
    })
    return download
  })
}

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
