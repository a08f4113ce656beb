import { defineContract } from './shared/contract.ts'
import { ShareEvent, ShareEventResult } from './shared/share-events.ts'

export const record = defineContract('public.track-links.share-events.record', {
  body: ShareEvent,
  responses: { 200: ShareEventResult },
  limit: 'share-events',
  errors: ['track_link_unavailable'],
})
