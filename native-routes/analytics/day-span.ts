import type * as z from 'zod'
import { invalid } from '#contracts/errors.ts'
import { type DateRangeQuery, isDateRange } from '#contracts/shared/date-range.ts'
import type { DaySpan } from '#db/queries/analytics/engagement-reports.ts'
import { dayMs } from '#shared/durations.ts'

const defaultDays = 30

const addDays = (day: string, days: number) =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

export const toDaySpan = (query: z.output<typeof DateRangeQuery>, now: Date): DaySpan => {
  const to = query.to ?? now.toISOString().slice(0, 10)
  const from = query.from ?? addDays(to, 1 - defaultDays)
  if (from.startsWith('0000') || !isDateRange(from, to))
    throw invalid('from', 'must not be after the last day of the report or more than a year before it')
  return { from, to }
}

export const listDays = ({ from, to }: DaySpan): readonly string[] =>
  Array.from({ length: (Date.parse(to) - Date.parse(from)) / dayMs + 1 }, (_, index) => addDays(from, index))
