import { ApiError } from '#contracts/errors.ts'
import { issue } from '#contracts/tracks.download-url.ts'
import type { Reader } from '#db/connection.ts'
import { findCurrentAudio, findMediaAssetOfTrack, type MediaAssetRow } from '#db/queries/media-assets.ts'
import { defineRoute } from '../define-route.ts'

const requireReady = (asset: MediaAssetRow | null, otherwise: 'playback_not_found' | 'asset_not_found') => {
  if (asset?.status !== 'ready') throw new ApiError(otherwise)
  return asset
}

const assetToDownload = async (db: Reader, trackId: string, assetId: string | undefined) =>
  assetId === undefined
    ? requireReady(await findCurrentAudio(db, trackId), 'playback_not_found')
    : requireReady(await findMediaAssetOfTrack(db, trackId, assetId), 'asset_not_found')

export const issueDownloadUrl = defineRoute(
  issue,
  async ({ track, query }, { db, storage, media, events }) => {
    const asset = await assetToDownload(db.read, track.id, query.assetId)
    const address = await storage.presignGet(asset.storageKey, {
      expiresInS: media.lifetimeS.download,
      downloadAs: asset.fileName,
      contentType: asset.contentType,
    })
    await events.record({ ownerId: track.ownerId, type: 'track.downloaded', trackId: track.id })
    return {
      ...address,
      trackId: track.id,
      versionId: asset.versionId,
      assetId: asset.id,
      fileName: asset.fileName,
      contentType: asset.contentType,
      byteSize: asset.byteSize,
    }
  },
)
