import * as z from 'zod'
import type { ContractParts } from './contract.ts'
import { DownloadUrl, PlaybackUrl } from './media-urls.ts'
import { Count, DateOnly, Id, SignedUrl, Timestamp } from './primitives.ts'
import { accessCode, query, visitor } from './query.ts'
import { Recorded, ShareEvent } from './share-events.ts'

export const PackPresentation = z.object({
  link: z.object({
    slug: z.string(),
    name: z.string().nullable(),
    expiresAt: Timestamp.nullable(),
    downloadsEnabled: z.boolean(),
    requiresAccessCode: z.boolean(),
  }),
  pack: z.object({
    id: Id,
    name: z.string(),
    description: z.string().nullable(),
    artworkUrl: SignedUrl.nullable(),
    ownerDisplayName: z.string().nullable(),
    trackCount: Count,
    totalDurationMs: Count,
    createdAt: Timestamp,
  }),
  tracks: z.array(
    z.object({
      id: Id,
      position: Count,
      title: z.string(),
      artist: z.string(),
      durationMs: Count.nullable(),
      releaseDate: DateOnly.nullable(),
      artworkUrl: SignedUrl.nullable(),
      downloadable: z.boolean(),
    }),
  ),
})
export type PackPresentation = z.infer<typeof PackPresentation>

const gate = ['pack_link_not_found', 'access_code_required', 'analytics_rate_limited'] as const

// Every one of these asks for the access code: without it the media of a gated pack would be a way round.
const gatedVisit = query(z.object({ ...visitor, accessCode }))

/** A pack as its recipient sees it. */
export const presentation = {
  query: gatedVisit,
  responses: { 200: PackPresentation },
  errors: gate,
} as const satisfies ContractParts

/** One track of a pack, to listen to. */
export const playback = {
  query: gatedVisit,
  responses: { 200: PlaybackUrl },
  errors: [...gate, 'track_not_found', 'playback_not_found'],
} as const satisfies ContractParts

/** One track of a pack, to keep. */
export const download = {
  query: gatedVisit,
  responses: { 200: DownloadUrl },
  errors: [...gate, 'downloads_disabled', 'track_not_found', 'playback_not_found'],
} as const satisfies ContractParts

/** What a visitor did with a pack or, where `trackId` is given, with one of its tracks. */
export const shareEvent = {
  query: query(z.object({ accessCode })),
  body: ShareEvent.extend({ trackId: Id.optional() }),
  responses: { 200: Recorded },
  errors: [...gate, 'track_not_found'],
} as const satisfies ContractParts
