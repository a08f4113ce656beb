import * as z from 'zod'
import { Id } from './primitives.ts'

export const maxFindings = 100

const Subject = z.object({
  type: z.enum(['track', 'pack', 'library', 'share']),
  id: Id,
  title: z.string(),
})

export const findingKinds = [
  'missing_isrc',
  'missing_iswc',
  'missing_release_date',
  'missing_artwork',
  'missing_lyrics',
  'no_audio',
  'processing_failed',
  'split_sheet_incomplete',
  'split_sheet_unbalanced',
  'possible_duplicate',
  'share_expiring',
  'share_without_plays',
  'never_shared',
  'plays_rising',
  'plays_falling',
] as const

/** Clients must accept kinds they do not know. */
export const Finding = z.object({
  kind: z.enum(findingKinds).meta({ openEnum: findingKinds }),
  severity: z.enum(['info', 'warning', 'blocker']),
  subject: Subject,
  message: z.string(),
  action: z.string(),
})
export type Finding = z.infer<typeof Finding>

/** An answer can cite only what a tool returned in the same request. */
export const Citation = Subject
export type Citation = z.infer<typeof Citation>
