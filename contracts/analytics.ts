import * as z from 'zod'
import { Counts, Series } from './shared/analytics.ts'
import { defineContract } from './shared/contract.ts'
import { DateRangeQuery } from './shared/date-range.ts'
import { DateOnly } from './shared/primitives.ts'

export const overview = defineContract('analytics.overview', {
  query: DateRangeQuery,
  responses: { 200: z.object({ from: DateOnly, to: DateOnly, totals: Counts, series: Series }) },
  limit: 'analytics',
})
