import { list } from '#contracts/tracks.media-assets.ts'
import { listArtworkAndDocuments } from '#db/queries/media/media-assets.ts'
import { mapWithoutBlocking } from '#shared/map-in-slices.ts'
import { defineRoute } from '../define-route.ts'
import { listRecords, positionByCreation } from '../paging.ts'
import type { ReadPorts } from '../ports.ts'
import { signFile } from './sign-media.ts'

type StoredAsset = Awaited<ReturnType<typeof listArtworkAndDocuments>>[number]
type AssetSigningPorts = Pick<ReadPorts, 'storage' | 'media'>

const signAssetUrl = async (asset: StoredAsset, ports: AssetSigningPorts) => {
  if (asset.status !== 'ready') return { url: null, urlExpiresAt: null }
  const { url, expiresAt } = await signFile(asset, ports.media.ttlS.download, ports)
  return { url, urlExpiresAt: expiresAt }
}

const presentAssets = async <K extends 'artwork' | 'document'>(
  kind: K,
  assets: readonly StoredAsset[],
  ports: AssetSigningPorts,
) => {
  const ofKind = assets.filter((asset) => asset.kind === kind)
  const presented = await mapWithoutBlocking(ofKind, async (asset) => ({
    ...asset,
    kind,
    // Never null, because a table constraint requires a size for these kinds.
    byteSize: asset.byteSize ?? 0,
    ...(await signAssetUrl(asset, ports)),
  }))
  return Promise.all(presented)
}

export const listMediaAssets = defineRoute(list, async ({ track, query }, ports) => {
  const { records: assets, ...page } = await listRecords(
    query,
    (range) => listArtworkAndDocuments(ports.db.read, track.id, range),
    positionByCreation,
  )
  const [artwork, documents] = await Promise.all([
    presentAssets('artwork', assets, ports),
    presentAssets('document', assets, ports),
  ])
  return { trackId: track.id, artwork, documents, ...page }
})
