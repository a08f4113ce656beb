import { ApiError } from '#contracts/errors.ts'
import type { DownloadUrl, PlaybackUrl } from '#contracts/shared/media-urls.ts'
import { imageContentTypes } from '#contracts/shared/uploads.ts'
import type { Reader } from '#db/client/connection.ts'
import { findCurrentAudio, type MediaAssetRow } from '#db/queries/media/media-assets.ts'
import type { ReadPorts } from '../ports.ts'

export type MediaSigningPorts = Pick<ReadPorts, 'db' | 'storage' | 'media'>

export const requireCurrentAudio = async (db: Reader, trackId: string) => {
  const audio = await findCurrentAudio(db, trackId)
  if (audio?.versionStatus !== 'ready' || audio.versionId === null) throw new ApiError('playback_not_found')
  return { ...audio, versionId: audio.versionId }
}

const displayedTypes: ReadonlySet<string> = new Set(['application/pdf', ...imageContentTypes])

// If a browser displayed other types, a file might run scripts at the store's origin or start a program.
const isDisplayed = (contentType: string) =>
  contentType.startsWith('audio/') || displayedTypes.has(contentType)

type SignedFile = Pick<MediaAssetRow, 'storageKey' | 'contentType' | 'fileName'>

export const signFile = (
  { storageKey, contentType, fileName }: SignedFile,
  expiresInS: number,
  { storage }: Pick<ReadPorts, 'storage'>,
) =>
  storage.presignGet(storageKey, {
    expiresInS,
    contentType,
    ...(isDisplayed(contentType) ? {} : { downloadAs: fileName }),
  })

export const signPlayback = async (trackId: string, ports: MediaSigningPorts): Promise<PlaybackUrl> => {
  const audio = await requireCurrentAudio(ports.db.read, trackId)
  const signed = await signFile(audio, ports.media.ttlS.playback, ports)
  return {
    ...signed,
    trackId,
    versionId: audio.versionId,
    assetId: audio.id,
    contentType: audio.contentType,
    byteSize: audio.byteSize,
    durationMs: audio.durationMs,
  }
}

export const signDownload = async (
  asset: MediaAssetRow,
  { storage, media }: Omit<MediaSigningPorts, 'db'>,
): Promise<DownloadUrl> => {
  const signed = await storage.presignGet(asset.storageKey, {
    expiresInS: media.ttlS.download,
    downloadAs: asset.fileName,
    contentType: asset.contentType,
  })
  return {
    ...signed,
    trackId: asset.trackId,
    versionId: asset.versionId,
    assetId: asset.id,
    fileName: asset.fileName,
    contentType: asset.contentType,
    byteSize: asset.byteSize,
  }
}

export const signArtwork = async (
  artwork: Pick<MediaAssetRow, 'storageKey' | 'contentType'> | null,
  ports: Omit<MediaSigningPorts, 'db'>,
) => artwork && signFile({ ...artwork, fileName: 'artwork' }, ports.media.ttlS.playback, ports)
