import { detail } from '#contracts/analytics.packs.ts'
import { defineRoute } from '../define-route.ts'
import { toDaySpan } from './day-span.ts'
import { reportOnLinks } from './report-on-links.ts'

export const showPackAnalytics = defineRoute(detail, async ({ pack, query }, ports) => {
  const span = toDaySpan(query, ports.clock.now())
  return {
    packId: pack.id,
    ...(await reportOnLinks(pack.ownerId, { kind: 'pack', id: pack.id }, span, ports)),
  }
})
