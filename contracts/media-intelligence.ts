import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { LyricsInput } from './shared/lyrics.ts'
import { StemKind, TagCategory } from './shared/media-analysis.ts'
import { AbsoluteUrl, Id, LongText, Milliseconds, Str } from './shared/primitives.ts'

const AnalysedTag = z.object({
  category: TagCategory,
  value: Str(200),
  label: Str(200).optional(),
  numericValue: z.number().nullable().default(null),
  confidence: z.number().min(0).max(1).nullable().default(null),
})

const SeparatedStem = z.object({
  kind: StemKind,
  label: Str(200).optional(),
  url: AbsoluteUrl,
  contentType: Str(100),
  byteSize: z.int().min(1).nullable().default(null),
  durationMs: Milliseconds.nullable().default(null),
})

/** A lane that is absent was not analysed. A lane that is empty was analysed, but nothing was found. */
export const AnalysisResults = z.object({
  tags: z.array(AnalysedTag).max(500).optional(),
  lyrics: LyricsInput.optional(),
  stems: z.array(SeparatedStem).max(50).optional(),
  embeddings: z.array(z.number()).min(1).max(8192).optional(),
})
export type AnalysisResults = z.output<typeof AnalysisResults>

export const callback = defineContract('media-intelligence.callback', {
  body: z.object({
    callbackId: Str(255),
    dispatchId: Id,
    status: z.enum(['succeeded', 'failed']),
    results: AnalysisResults.optional(),
    error: z.object({ code: Str(100), message: LongText(2000) }).optional(),
  }),
  responses: {
    200: z.object({ ok: z.literal(true), status: z.enum(['applied', 'duplicate', 'stale']) }),
  },
  errors: ['media_dispatch_not_found'],
})
