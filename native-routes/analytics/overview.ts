import { overview } from '#contracts/analytics.ts'
import { defineRoute } from '../define-route.ts'
import { daySpanOf } from './day-span.ts'
import { seriesOf } from './series-of.ts'

export const showAnalyticsOverview = defineRoute(overview, async ({ actor, query }, ports) => {
  const span = daySpanOf(query, ports.clock.now())
  const { accountId } = actor
  const { totals, series } = await seriesOf(accountId, { kind: 'owner', id: accountId }, span, ports)
  return { ...span, totals, series }
})
