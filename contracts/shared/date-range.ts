import * as z from 'zod'
import { DateOnly } from './primitives.ts'
import { query } from './query.ts'

const dayMs = 86_400_000
const maxDays = 366

export const isDateRange = (from: string, to: string) => {
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  return days >= 1 && days <= maxDays
}

/** Either may be absent; a handler that fills in a default must check the result with {@link isDateRange}. */
export const DateRangeQuery = query(
  z
    .object({ from: DateOnly.optional(), to: DateOnly.optional() })
    .refine(({ from, to }) => !from || !to || isDateRange(from, to), {
      error: `must span 1 to ${maxDays} days`,
      path: ['to'],
    }),
)
