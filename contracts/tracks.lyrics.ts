import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { LyricsInput } from './shared/lyrics.ts'
import { Count, Id, Timestamp } from './shared/primitives.ts'

export const LyricsLine = z.object({ startMs: Count, endMs: Count.nullable(), text: z.string() })

export const Lyrics = z.object({
  trackId: Id,
  text: z.string().nullable(),
  language: z.string().nullable(),
  lines: z.array(LyricsLine),
  source: z.enum(['user', 'ai', 'import']).nullable(),
  status: z.enum(['none', 'processing', 'ready', 'failed']),
  createdAt: Timestamp.nullable(),
  updatedAt: Timestamp.nullable(),
})
export type Lyrics = z.infer<typeof Lyrics>

export const detail = defineContract('tracks.lyrics.detail', {
  responses: { 200: Lyrics },
})

export const replace = defineContract('tracks.lyrics.replace', {
  body: LyricsInput,
  responses: { 200: Lyrics },
})
