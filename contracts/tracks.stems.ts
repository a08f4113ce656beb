import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { StemKind } from './shared/media-analysis.ts'
import { Count, Id, optionalNextCursor, Timestamp } from './shared/primitives.ts'
import { optionalPaging, query } from './shared/query.ts'

export const Stem = z.object({
  id: Id,
  kind: StemKind,
  label: z.string(),
  assetId: Id,
  contentType: z.string(),
  byteSize: Count.nullable(),
  durationMs: Count.nullable(),
  source: z.enum(['ai', 'upload']),
  createdAt: Timestamp,
})

export const list = defineContract('tracks.stems.list', {
  query: query(z.object(optionalPaging)),
  responses: {
    200: z.object({
      trackId: Id,
      status: z.enum(['none', 'queued', 'processing', 'ready', 'failed']),
      stems: z.array(Stem),
      ...optionalNextCursor,
    }),
  },
})
