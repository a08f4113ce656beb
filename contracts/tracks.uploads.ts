import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Id } from './shared/primitives.ts'

export const FinalizedUpload = z.object({
  uploadId: Id,
  trackId: Id,
  assetId: Id,
  status: z.literal('finalized'),
  kind: z.enum(['version', 'artwork', 'document']),
  versionId: Id.optional(),
})
export type FinalizedUpload = z.infer<typeof FinalizedUpload>

export const finalize = defineContract('tracks.uploads.finalize', {
  responses: { 200: FinalizedUpload },
  errors: [
    'upload_not_found',
    'upload_object_missing',
    'upload_size_mismatch',
    'upload_content_type_mismatch',
    'upload_expired',
    'quota_exceeded',
    'storage_unavailable',
  ],
})
