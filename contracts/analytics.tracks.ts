import * as z from 'zod'
import { linkReport } from './shared/analytics.ts'
import { defineContract } from './shared/contract.ts'
import { DateRangeQuery } from './shared/date-range.ts'
import { Id } from './shared/primitives.ts'

export const detail = defineContract('analytics.tracks.detail', {
  query: DateRangeQuery,
  responses: { 200: z.object({ trackId: Id, ...linkReport }) },
  limit: 'analytics',
  errors: ['track_not_found'],
})
