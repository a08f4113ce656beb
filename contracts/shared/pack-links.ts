import * as z from 'zod'
import type { ContractDefinition } from './contract.ts'
import { DownloadUrl, PlaybackUrl } from './media-urls.ts'
import { Count, DateOnly, Id, SignedUrl, Timestamp } from './primitives.ts'
import { accessCode, query, visitorFields } from './query.ts'
import { ShareEvent, ShareEventResult } from './share-events.ts'

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

const linkErrors = ['pack_link_not_found', 'access_code_required'] as const

// Every route of a pack link requires the access code. Otherwise, a visitor without the code could get the media URLs.
const visitQuery = query(z.object({ ...visitorFields, accessCode }))

export const presentation = {
  query: visitQuery,
  responses: { 200: PackPresentation },
  limit: 'public-reads',
  errors: linkErrors,
} as const satisfies ContractDefinition

export const playback = {
  query: visitQuery,
  responses: { 200: PlaybackUrl },
  limit: 'public-reads',
  errors: [...linkErrors, 'track_not_found', 'playback_not_found'],
} as const satisfies ContractDefinition

export const download = {
  query: visitQuery,
  responses: { 200: DownloadUrl },
  limit: 'public-reads',
  errors: [...linkErrors, 'downloads_disabled', 'track_not_found', 'playback_not_found'],
} as const satisfies ContractDefinition

export const shareEvent = {
  query: query(z.object({ accessCode })),
  body: ShareEvent.extend({ trackId: Id.optional() }),
  responses: { 200: ShareEventResult },
  limit: 'share-events',
  errors: [...linkErrors, 'track_not_found'],
} as const satisfies ContractDefinition
