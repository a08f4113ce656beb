import { findMediaAsset, setPrimaryArtworkIfNone, updateMediaAsset } from '#db/queries/media/media-assets.ts'
import { lockTrack } from '#db/queries/tracks/tracks.ts'
import { inspectAssetInChild } from './analysis/analyse-in-child.ts'
import { limitFailure } from './analysis/analysis-limits.ts'
import { withAssetFile } from './local-copy.ts'
import type { JobPorts } from './ports.ts'

/** A track's first valid artwork becomes its primary one. */
export const checkAsset = async (assetId: string, ports: JobPorts, signal: AbortSignal) => {
  const asset = await findMediaAsset(ports.db.read, assetId)
  if (asset?.status !== 'processing') return
  const inspection = await withAssetFile(asset, ports, signal, (path) =>
    inspectAssetInChild(path, asset.contentType, signal),
  )
  if (!inspection) return
  const { failure, ...found } = inspection
  if (failure?.code === limitFailure.code) ports.log.warn({ assetId }, 'asset inspection limit exceeded')
  await ports.db.tx(async (tx) => {
    if (!(await lockTrack(tx, asset.trackId))) return
    await updateMediaAsset(tx, asset.id, { status: failure ? 'failed' : 'ready', ...found })
    if (asset.kind === 'artwork') await setPrimaryArtworkIfNone(tx, asset.trackId, asset.id)
  })
}
