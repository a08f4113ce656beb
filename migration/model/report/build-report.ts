import { labels } from '#contracts/shared/row.ts'
import type { RouteScope } from '../route-scope.ts'
import type { CountedUsage } from '../usage/summarize-usage.ts'
import { countRows } from './classify-rows.ts'
import { explainReport } from './explain-report.ts'
import { listMoves, listStops } from './list-moves.ts'
import { listRemaining, type ReportingInstance } from './list-remaining.ts'
import type { MigrationReport } from './migration-report.ts'
import { findReportTime, formatDay, listDayEnds, type ReportMonth } from './report-month.ts'
import { createStateHistory, parseStateChanges, type StoredState } from './state-history.ts'

interface ReportInput {
  readonly month: ReportMonth
  /** Unix time in milliseconds. */
  readonly now: number
  readonly states: ReadonlyMap<RouteScope, StoredState>
  /** Scopes whose stored state this version cannot read. */
  readonly unreadable: readonly string[]
  /** Audit entries about states, oldest first. */
  readonly audit: readonly unknown[]
  /** What the core served in the seven days before the report; null if those counts have been deleted. */
  readonly usage: readonly CountedUsage[] | null
  readonly instance: ReportingInstance
}

/** Builds the report of a month that has begun. */
export const buildReport = (input: ReportInput): MigrationReport => {
  const { month, now, states, unreadable, usage, instance } = input
  const at = findReportTime(month, now)
  const history = createStateHistory(states, parseStateChanges(input.audit))
  const period = { from: month.from, to: at }
  const report = {
    month: month.month,
    madeAt: new Date(now).toISOString(),
    reportTime: new Date(at).toISOString(),
    rows: labels.length,
    summary: countRows(history, at),
    days: listDayEnds(month, at).map((end) => ({ day: formatDay(end), ...countRows(history, end) })),
    moves: listMoves(history, period),
    stops: listStops(history, period),
    remaining: listRemaining({ history, usage, instance, at }),
  }
  return { ...report, sentences: explainReport(report, unreadable) }
}
