import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { TagCategory } from './shared/media-analysis.ts'
import { Id, openEnum, Timestamp } from './shared/primitives.ts'
import { QueryFlag, query } from './shared/query.ts'

export const Tag = z.object({
  id: Id,
  category: TagCategory,
  value: z.string(),
  label: z.string(),
  numericValue: z.number().nullable(),
  confidence: z.number().min(0).max(1).nullable(),
  source: openEnum(['user', 'ai', 'file', 'import']),
  hidden: z.boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const detail = defineContract('tracks.tags.detail', {
  query: query(z.object({ includeHidden: QueryFlag })),
  responses: { 200: z.object({ trackId: Id, tags: z.array(Tag), updatedAt: Timestamp.nullable() }) },
})
