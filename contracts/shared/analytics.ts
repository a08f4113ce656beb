import * as z from 'zod'
import { Count, DateOnly } from './primitives.ts'

/** How often things happened. Clicks are counted by the link provider, the others by this service. */
export const Counts = z.object({
  views: Count,
  plays: Count,
  downloads: Count,
  shares: Count,
  clicks: Count,
})

/** One entry a day, by ascending date. */
export const Series = z.array(Counts.extend({ date: DateOnly }))
