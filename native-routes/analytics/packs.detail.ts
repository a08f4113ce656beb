import { detail } from '#contracts/analytics.packs.ts'
import { defineRoute } from '../define-route.ts'
import { createLinkReport } from './create-link-report.ts'
import { toDaySpan } from './day-span.ts'

export const showPackAnalytics = defineRoute(detail, async ({ pack, query }, ports) => {
  const span = toDaySpan(query, ports.clock.now())
  return {
    packId: pack.id,
    ...(await createLinkReport(pack.ownerId, { kind: 'pack', id: pack.id }, span, ports)),
  }
})
