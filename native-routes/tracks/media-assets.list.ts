import { list } from '#contracts/tracks.media-assets.ts'
import { listArtworkAndDocuments } from '#db/queries/media-assets.ts'
import { defineRoute } from '../define-route.ts'
import type { Ports } from '../ports.ts'
import { signFile } from './sign-media.ts'

type StoredAsset = Awaited<ReturnType<typeof listArtworkAndDocuments>>[number]
type AssetSigningPorts = Pick<Ports, 'storage' | 'media'>

const signAssetUrl = async (asset: StoredAsset, ports: AssetSigningPorts) => {
  if (asset.status !== 'ready') return { url: null, urlExpiresAt: null }
  const { url, expiresAt } = await signFile(asset, ports.media.ttlS.download, ports)
  return { url, urlExpiresAt: expiresAt }
}

const presentAssets = <K extends 'artwork' | 'document'>(
  kind: K,
  assets: readonly StoredAsset[],
  ports: AssetSigningPorts,
) =>
  Promise.all(
    assets
      .filter((asset) => asset.kind === kind)
      .map(async (asset) => ({
        ...asset,
        kind,
        // A table constraint requires a size for these kinds.
        byteSize: asset.byteSize ?? 0,
        ...(await signAssetUrl(asset, ports)),
      })),
  )

export const listMediaAssets = defineRoute(list, async ({ track }, ports) => {
  const assets = await listArtworkAndDocuments(ports.db.read, track.id)
  const [artwork, documents] = await Promise.all([
    presentAssets('artwork', assets, ports),
    presentAssets('document', assets, ports),
  ])
  return { trackId: track.id, artwork, documents }
})
