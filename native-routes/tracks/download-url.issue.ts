import { ApiError } from '#contracts/errors.ts'
import { issue } from '#contracts/tracks.download-url.ts'
import type { Reader } from '#db/client/connection.ts'
import { findMediaAssetOfTrack } from '#db/queries/media/media-assets.ts'
import { defineRoute } from '../define-route.ts'
import { requireCurrentAudio, signDownload } from './sign-media.ts'

const requireAsset = async (db: Reader, trackId: string, assetId: string) => {
  const asset = await findMediaAssetOfTrack(db, trackId, assetId)
  if (asset?.status !== 'ready') throw new ApiError('asset_not_found')
  return asset
}

export const issueDownloadUrl = defineRoute(issue, async ({ track, query }, ports) => {
  const { read } = ports.db
  const asset =
    query.assetId === undefined
      ? await requireCurrentAudio(read, track.id)
      : await requireAsset(read, track.id, query.assetId)
  const download = await signDownload(asset, ports)
  await ports.events.record({ ownerId: track.ownerId, type: 'track.downloaded', trackId: track.id })
  return download
})
