import * as z from 'zod'
import { Counts, Series } from './analytics.ts'
import { Count, Id, keyedArray } from './primitives.ts'

const CountsWithVisitors = Counts.extend({ uniqueVisitors: Count })

/**
 * Fields of a report on the links of one pack or track. Only the link provider knows countries, and it knows no
 * sources. So a report by country has only clicks, and a report by source has everything else.
 */
export const linkReport = {
  totals: CountsWithVisitors,
  byLink: keyedArray(CountsWithVisitors.extend({ linkId: Id, name: z.string().nullable() }), 'linkId'),
  bySource: keyedArray(Counts.omit({ clicks: true }).extend({ source: z.string() }), 'source'),
  byCountry: keyedArray(z.object({ country: z.string().nullable(), clicks: Count }), 'country'),
  series: Series,
}
