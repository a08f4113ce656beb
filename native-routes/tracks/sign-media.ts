import { ApiError } from '#contracts/errors.ts'
import type { DownloadUrl, PlaybackUrl } from '#contracts/shared/media-urls.ts'
import type { Reader } from '#db/client/connection.ts'
import { findCurrentAudio, type MediaAssetRow } from '#db/queries/media-assets.ts'
import type { Ports } from '../ports.ts'

/** What signs the addresses of files. */
export type Signing = Pick<Ports, 'db' | 'storage' | 'media'>

/** The original file of a track's current version, once it is ready. */
export const requireCurrentAudio = async (db: Reader, trackId: string) => {
  const audio = await findCurrentAudio(db, trackId)
  if (audio?.status !== 'ready' || audio.versionId === null) throw new ApiError('playback_not_found')
  return { ...audio, versionId: audio.versionId }
}

/** A track as far as it is played. */
export interface PlayableTrack {
  readonly id: string
  readonly durationMs: number | null
}

/** An address that plays a track's current audio. */
export const signPlayback = async (
  { id, durationMs }: PlayableTrack,
  { db, storage, media }: Signing,
): Promise<PlaybackUrl> => {
  const audio = await requireCurrentAudio(db.read, id)
  const address = await storage.presignGet(audio.storageKey, {
    expiresInS: media.lifetimeS.playback,
    contentType: audio.contentType,
  })
  return {
    ...address,
    trackId: id,
    versionId: audio.versionId,
    assetId: audio.id,
    contentType: audio.contentType,
    byteSize: audio.byteSize,
    durationMs,
  }
}

/** An address from which a browser saves a file that is ready. */
export const signDownload = async (
  asset: MediaAssetRow,
  { storage, media }: Omit<Signing, 'db'>,
): Promise<DownloadUrl> => {
  const address = await storage.presignGet(asset.storageKey, {
    expiresInS: media.lifetimeS.download,
    downloadAs: asset.fileName,
    contentType: asset.contentType,
  })
  return {
    ...address,
    trackId: asset.trackId,
    versionId: asset.versionId,
    assetId: asset.id,
    fileName: asset.fileName,
    contentType: asset.contentType,
    byteSize: asset.byteSize,
  }
}

/** Where artwork is shown from, for as long as its track could be played; null where there is none. */
export const signArtwork = async (
  artwork: Pick<MediaAssetRow, 'storageKey' | 'contentType'> | null,
  { storage, media }: Omit<Signing, 'db'>,
) =>
  artwork &&
  storage.presignGet(artwork.storageKey, {
    expiresInS: media.lifetimeS.playback,
    contentType: artwork.contentType,
  })
