import * as z from 'zod'
import { Count, DateOnly } from './primitives.ts'

/** Engagement totals. The link provider counts clicks; this service counts everything else. */
export const Counts = z.object({
  views: Count,
  plays: Count,
  downloads: Count,
  shares: Count,
  clicks: Count,
})

/** One entry per day, by ascending date. */
export const Series = z.array(Counts.extend({ date: DateOnly }))
