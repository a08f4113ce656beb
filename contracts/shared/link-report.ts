import * as z from 'zod'
import { Counts, Series } from './analytics.ts'
import { Count, Id, keyedArray } from './primitives.ts'

const CountsWithVisitors = Counts.extend({ uniqueVisitors: Count })

/**
 * The fields of a report on the links of one pack or track. Only the link provider knows a visitor's country, and it
 * has no sources: clicks are the only count by country, and the only count missing from the counts by source.
 */
export const linkReport = {
  totals: CountsWithVisitors,
  byLink: keyedArray(CountsWithVisitors.extend({ linkId: Id, name: z.string().nullable() }), 'linkId'),
  bySource: keyedArray(Counts.omit({ clicks: true }).extend({ source: z.string() }), 'source'),
  byCountry: keyedArray(z.object({ country: z.string().nullable(), clicks: Count }), 'country'),
  series: Series,
}
