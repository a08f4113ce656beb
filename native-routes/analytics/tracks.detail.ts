import { detail } from '#contracts/analytics.tracks.ts'
import { defineRoute } from '../define-route.ts'
import { toDaySpan } from './day-span.ts'
import { reportOnLinks } from './report-on-links.ts'

export const showTrackAnalytics = defineRoute(detail, async ({ track, query }, ports) => {
  const span = toDaySpan(query, ports.clock.now())
  const report = await reportOnLinks(track.ownerId, { kind: 'track', id: track.id }, span, ports)
  return { trackId: track.id, ...report }
})
