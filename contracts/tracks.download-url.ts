import * as z from 'zod'
import { contract } from './shared/contract.ts'
import { DownloadUrl } from './shared/media-urls.ts'
import { Id } from './shared/primitives.ts'
import { query } from './shared/query.ts'

// A malformed id is one that nothing has: it is not found rather than refused, and reads as the empty string.
const AssetIdOrNone = z.string().transform((id) => (Id.safeParse(id).success ? id : ''))

export const issue = contract('tracks.download-url.issue', {
  query: query(z.object({ assetId: AssetIdOrNone.optional() })),
  responses: { 200: DownloadUrl },
  errors: ['playback_not_found', 'asset_not_found'],
})
