import * as z from 'zod'
import { Counts, Series } from './analytics.ts'
import { Count, Id, keyedArray } from './primitives.ts'

const VisitedCounts = Counts.extend({ uniqueVisitors: Count })

/**
 * What became of the links of one pack or track. The link provider alone knows a visitor's country and knows
 * nothing of sources, so clicks are what is counted by country and the only thing not counted by source.
 */
export const linkReport = {
  totals: VisitedCounts,
  byLink: keyedArray(VisitedCounts.extend({ linkId: Id, name: z.string().nullable() }), 'linkId'),
  bySource: keyedArray(Counts.omit({ clicks: true }).extend({ source: z.string() }), 'source'),
  byCountry: keyedArray(z.object({ country: z.string().nullable(), clicks: Count }), 'country'),
  series: Series,
}
