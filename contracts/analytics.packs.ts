import * as z from 'zod'
import { linkReport } from './shared/analytics.ts'
import { defineContract } from './shared/contract.ts'
import { DateRangeQuery } from './shared/date-range.ts'
import { Id } from './shared/primitives.ts'

export const detail = defineContract('analytics.packs.detail', {
  query: DateRangeQuery,
  responses: { 200: z.object({ packId: Id, ...linkReport }) },
  limit: 'analytics',
  errors: ['pack_not_found'],
})
