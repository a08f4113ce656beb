import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Count, Id, optionalNextCursor, SignedUrl, Timestamp } from './shared/primitives.ts'
import { optionalPaging, query } from './shared/query.ts'
import { DocumentType } from './shared/uploads.ts'

/** If a track has ready artwork, exactly one is primary. */
export const MediaAsset = z.object({
  id: Id,
  kind: z.enum(['artwork', 'document']),
  fileName: z.string(),
  contentType: z.string(),
  byteSize: Count,
  status: z.enum(['processing', 'ready', 'failed']),
  isPrimary: z.boolean(),
  width: Count.nullable(),
  height: Count.nullable(),
  documentType: DocumentType.nullable(),
  title: z.string().nullable(),
  url: SignedUrl.nullable(),
  urlExpiresAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const list = defineContract('tracks.media-assets.list', {
  query: query(z.object(optionalPaging)),
  responses: {
    // A page may contain assets of both kinds.
    200: z.object({
      trackId: Id,
      artwork: z.array(MediaAsset),
      documents: z.array(MediaAsset),
      ...optionalNextCursor,
    }),
  },
})
