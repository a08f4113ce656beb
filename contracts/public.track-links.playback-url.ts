import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { PlaybackUrl } from './shared/media-urls.ts'
import { query, visitorFields } from './shared/query.ts'

export const issue = defineContract('public.track-links.playback-url.issue', {
  query: query(z.object(visitorFields)),
  responses: { 200: PlaybackUrl },
  limit: 'public-reads',
  errors: ['track_link_unavailable', 'playback_not_found'],
})
