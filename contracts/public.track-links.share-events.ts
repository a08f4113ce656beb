import { contract } from './shared/contract.ts'
import { Recorded, ShareEvent } from './shared/share-events.ts'

export const record = contract('public.track-links.share-events.record', {
  body: ShareEvent,
  responses: { 200: Recorded },
  errors: ['track_link_unavailable', 'analytics_rate_limited'],
})
