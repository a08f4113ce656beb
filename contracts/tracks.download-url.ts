import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { DownloadUrl } from './shared/media-urls.ts'
import { Id } from './shared/primitives.ts'
import { query } from './shared/query.ts'

// A malformed id becomes the empty string, which matches no asset. The response is then 404 `asset_not_found`, not 400.
const AssetIdOrNone = z.string().transform((id) => (Id.safeParse(id).success ? id : ''))

export const issue = defineContract('tracks.download-url.issue', {
  query: query(z.object({ assetId: AssetIdOrNone.optional() })),
  responses: { 200: DownloadUrl },
  errors: ['playback_not_found', 'asset_not_found'],
})
