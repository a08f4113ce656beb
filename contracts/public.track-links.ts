import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Count, DateOnly, Id, SignedUrl, Timestamp } from './shared/primitives.ts'
import { query, visitorFields } from './shared/query.ts'
import { ActiveLink } from './shared/share-links.ts'

export const SharedTrack = z.object({
  link: ActiveLink,
  track: z.object({
    id: Id,
    title: z.string(),
    artist: z.string(),
    releaseDate: DateOnly.nullable(),
    durationMs: Count.nullable(),
    artworkUrl: SignedUrl.nullable(),
    artworkUrlExpiresAt: Timestamp.nullable(),
  }),
})

export const detail = defineContract('public.track-links.detail', {
  query: query(z.object(visitorFields)),
  responses: { 200: SharedTrack },
  limit: 'public-reads',
  errors: ['track_link_unavailable'],
})
