import { findMediaAsset, setPrimaryArtworkIfNone, updateMediaAsset } from '#db/queries/media/media-assets.ts'
import { lockTrack } from '#db/queries/tracks/tracks.ts'
import { inspectAssetInChild } from './analysis/analyse-in-child.ts'
import { limitFailure } from './analysis/analysis-limits.ts'
import type { JobDefinition, JobOf } from './job-definitions.ts'
import { withAssetFile } from './local-copy.ts'
import type { JobPorts } from './ports.ts'

/** A track's first valid artwork becomes its primary one. */
const checkAsset = async (assetId: string, ports: JobPorts, signal: AbortSignal) => {
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

export const checkAssetJob: JobDefinition<JobOf<'check-asset'>> = {
  queue: 'check-asset',
  concurrency: 2,
  run: ({ assetId }, ports, signal) => checkAsset(assetId, ports, signal),
  async markAsFailed(tx, { assetId }) {
    const asset = await findMediaAsset(tx, assetId)
    if (asset?.status === 'processing') await updateMediaAsset(tx, asset.id, { status: 'failed' })
  },
  async reopen(tx, { assetId }) {
    const found = await findMediaAsset(tx, assetId)
    const asset = found && (await lockTrack(tx, found.trackId)) && (await findMediaAsset(tx, assetId))
    if (!asset || asset.status === 'ready') return false
    await updateMediaAsset(tx, asset.id, { status: 'processing' })
    return true
  },
}
