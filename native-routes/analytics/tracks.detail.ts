import { detail } from '#contracts/analytics.tracks.ts'
import { defineRoute } from '../define-route.ts'
import { createLinkReport } from './create-link-report.ts'
import { toDaySpan } from './day-span.ts'

export const showTrackAnalytics = defineRoute(detail, async ({ track, query }, ports) => {
  const span = toDaySpan(query, ports.clock.now())
  const report = await createLinkReport(track.ownerId, { kind: 'track', id: track.id }, span, ports)
  return { trackId: track.id, ...report }
})
