import { contract } from './shared/contract.ts'
import { ShareEvent, ShareEventResult } from './shared/share-events.ts'

export const record = contract('public.track-links.share-events.record', {
  body: ShareEvent,
  responses: { 200: ShareEventResult },
  errors: ['track_link_unavailable', 'analytics_rate_limited'],
})
