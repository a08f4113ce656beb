import { ApiError } from '#contracts/errors.ts'
import type { DownloadUrl, PlaybackUrl } from '#contracts/shared/media-urls.ts'
import { imageContentTypes } from '#contracts/shared/uploads.ts'
import type { Reader } from '#db/client/connection.ts'
import { findCurrentAudio, type MediaAssetRow } from '#db/queries/media/media-assets.ts'
import type { ReadPorts } from '../ports.ts'

/** The ports that sign the URLs of files. */
export type MediaSigningPorts = Pick<ReadPorts, 'db' | 'storage' | 'media'>

/** Returns the original file of a track's current version; throws `playback_not_found` unless it is ready. */
export const requireCurrentAudio = async (db: Reader, trackId: string) => {
  const audio = await findCurrentAudio(db, trackId)
  if (audio?.status !== 'ready' || audio.versionId === null) throw new ApiError('playback_not_found')
  return { ...audio, versionId: audio.versionId }
}

/** The fields of a track that its playback needs. */
export interface PlayableTrack {
  readonly id: string
  readonly durationMs: number | null
}

const displayedTypes: ReadonlySet<string> = new Set(['application/pdf', ...imageContentTypes])

// A browser would run the scripts of other types, or hand them to a program, at the origin of the store.
const isDisplayed = (contentType: string) =>
  contentType.startsWith('audio/') || displayedTypes.has(contentType)

type SignedFile = Pick<MediaAssetRow, 'storageKey' | 'contentType' | 'fileName'>

/** Signs a URL that a browser opens as the checked type, or saves unless that is a raster image, audio or PDF. */
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

/** Signs a URL that plays a track's current audio. */
export const signPlayback = async (
  { id, durationMs }: PlayableTrack,
  ports: MediaSigningPorts,
): Promise<PlaybackUrl> => {
  const audio = await requireCurrentAudio(ports.db.read, id)
  const signed = await signFile(audio, ports.media.ttlS.playback, ports)
  return {
    ...signed,
    trackId: id,
    versionId: audio.versionId,
    assetId: audio.id,
    contentType: audio.contentType,
    byteSize: audio.byteSize,
    durationMs,
  }
}

/** Signs a URL that downloads a ready file. */
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

/** Signs a URL of artwork with the ttl of playback URLs; returns null if there is none. */
export const signArtwork = async (
  artwork: Pick<MediaAssetRow, 'storageKey' | 'contentType'> | null,
  ports: Omit<MediaSigningPorts, 'db'>,
) => artwork && signFile({ ...artwork, fileName: 'artwork' }, ports.media.ttlS.playback, ports)
