import * as z from 'zod'
import { contract } from './shared/contract.ts'
import { PlaybackUrl } from './shared/media-urls.ts'
import { query, visitor } from './shared/query.ts'

export const issue = contract('public.track-links.playback-url.issue', {
  query: query(z.object(visitor)),
  responses: { 200: PlaybackUrl },
  errors: ['track_link_unavailable', 'playback_not_found', 'analytics_rate_limited'],
})
