import { overview } from '#contracts/analytics.ts'
import { defineRoute } from '../define-route.ts'
import { createSeries } from './create-series.ts'
import { toDaySpan } from './day-span.ts'

export const showAnalyticsOverview = defineRoute(overview, async ({ actor, query }, ports) => {
  const span = toDaySpan(query, ports.clock.now())
  const { accountId } = actor
  const { totals, series } = await createSeries(accountId, { kind: 'owner', id: accountId }, span, ports)
  return { ...span, totals, series }
})
