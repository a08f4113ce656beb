import { dayMs } from '#shared/durations.ts'
import { formatDay } from '#shared/iso-clock.ts'

/** A month in UTC. Times are in Unix milliseconds. */
export interface ReportMonth {
  /** For example `2026-11`. */
  readonly month: string
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

export const monthOf = (at: number): string => formatDay(at).slice(0, 7)

const pattern = /^(20\d\d)-(0[1-9]|1[0-2])$/

/** Parses `2026-11`. Returns null unless it is a month of this century. */
export const parseMonth = (text: string): ReportMonth | null => {
  const [, year, month] = pattern.exec(text) ?? []
  if (year === undefined || month === undefined) return null
  const index = Number(month)
  return {
    month: text,
    from: Date.UTC(Number(year), index - 1),
    to: Date.UTC(Number(year), index),
  }
}

const nameFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

export const formatMonth = (month: string) => nameFormat.format(new Date(`${month}-01T00:00:00Z`))

export const findReportTime = ({ to }: ReportMonth, now: number) => Math.min(now, to - 1)

export const listDayEnds = ({ from }: ReportMonth, reportTime: number): readonly number[] =>
  Array.from({ length: Math.floor((reportTime - from) / dayMs) + 1 }, (_, index) =>
    Math.min(from + (index + 1) * dayMs - 1, reportTime),
  )
