import { record } from '#contracts/public.track-links.share-events.ts'
import { defineRoute } from '../define-route.ts'
import { recordVisit } from '../visits.ts'

export const recordTrackShareEvent = defineRoute(record, async ({ link, body }, ports) => {
  const { eventType, ...event } = body
  await recordVisit(ports, link, { type: `track.${eventType}`, trackId: link.trackId, ...event })
  return { ok: true as const }
})
