import * as z from 'zod'
import { Count, DateOnly, Id } from './primitives.ts'

/** The link provider counts clicks; this service counts everything else. */
export const Counts = z.object({
  views: Count,
  plays: Count,
  downloads: Count,
  shares: Count,
  clicks: Count,
})

export const Series = z.array(Counts.extend({ date: DateOnly }))

const CountsWithVisitors = Counts.extend({ uniqueVisitors: Count })

/**
 * Only the link provider, which counts clicks, knows countries, and it does not know sources. So `byCountry` has only
 * clicks, and `bySource` has everything except clicks.
 */
export const linkReport = {
  totals: CountsWithVisitors,
  byLink: z.array(CountsWithVisitors.extend({ linkId: Id, name: z.string().nullable() })),
  bySource: z.array(Counts.omit({ clicks: true }).extend({ source: z.string() })),
  byCountry: z.array(z.object({ country: z.string().nullable(), clicks: Count })),
  series: Series,
}
