import { labels } from '#contracts/shared/row.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { formatCount, formatCountOf } from '../gate/format-quantity.ts'
import type { RouteScope } from '../route-scope.ts'
import { type CountedUsage, invisibleCallers } from '../usage/summarize-usage.ts'
import { listMoves, listStops } from './list-moves.ts'
import { listRemaining, type ReportingInstance } from './list-remaining.ts'
import type { MigrationReport } from './migration-report.ts'
import { findReportTime, formatMonth, listDayEnds, type ReportMonth } from './report-month.ts'
import { countRows, createStateHistory, parseStateChanges, type StoredState } from './state-history.ts'

type Described = Omit<MigrationReport, 'sentences'>

const describeProgress = ({ rows, remaining }: Described) => {
  const left = remaining.rows
  return left === 0
    ? `Native serves all ${formatCount(rows)} routes.`
    : `Native fully serves ${formatCount(rows - left)} of ${formatCount(rows)} routes; ${formatCount(left)} still ${left === 1 ? 'needs' : 'need'} the core.`
}

const describeHeld = ({ summary: { held } }: Described) =>
  held === 0
    ? []
    : [
        `${formatCountOf(held, 'route')} ${held === 1 ? 'is held: automation does not move it' : 'are held: automation does not move them'}.`,
      ]

const describeRequests = ({ remaining }: Described) => {
  const { areas, nativeWithCoreRequests, unmatchedRequests } = remaining
  if (unmatchedRequests === null)
    return 'There is no longer a record of what the core served in the last 7 days of the month.'
  const ofRows = [...areas, ...nativeWithCoreRequests].reduce((sum, { requests }) => sum + (requests ?? 0), 0)
  const unmatched =
    unmatchedRequests === 0 ? '' : `, ${formatCount(unmatchedRequests)} of them on paths that match no route`
  return `The core served ${formatCountOf(ofRows + unmatchedRequests, 'client request')} in the last 7 days${unmatched}.`
}

const explainSummary = (report: Described) => {
  const { month, moves, stops } = report
  const moved = `${formatCountOf(moves.length, 'route')} moved`
  const stopped = `there ${stops.length === 1 ? 'was' : 'were'} ${formatCountOf(stops.length, 'stop')}`
  return [
    describeProgress(report),
    `In ${formatMonth(month)}, ${moved} and ${stopped}.`,
    ...describeHeld(report),
    describeRequests(report),
  ]
}

const limits = [
  invisibleCallers,
  'The states come from the database. They do not include GATEWAY_KILL, GATEWAY_ROUTES or stops that apply to a single instance only.',
] as const

const describeUnreadable = (scopes: readonly string[]) =>
  scopes.length === 0
    ? []
    : [
        `This version of Crossfade cannot read the stored state of ${scopes.join(', ')}, so it is counted as never changed.`,
      ]

const explainReport = (report: Described, unreadable: readonly string[]): MigrationReport['sentences'] => ({
  summary: explainSummary(report),
  limits: [...describeUnreadable(unreadable), ...limits],
})

interface ReportInput {
  readonly month: ReportMonth
  /** Unix time in milliseconds. */
  readonly now: number
  readonly states: ReadonlyMap<RouteScope, StoredState>
  readonly unreadable: readonly string[]
  /** Audit entries about states, oldest first. */
  readonly audit: readonly unknown[]
  /** What the core served in the seven days before the report; null if those counts have been deleted. */
  readonly usage: readonly CountedUsage[] | null
  readonly instance: ReportingInstance
}

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
