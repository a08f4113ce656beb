import { formatCount, formatCountOf } from '../gate/format-quantity.ts'
import { invisibleCallers } from '../usage/summarize-usage.ts'
import type { MigrationReport } from './migration-report.ts'
import { formatMonth } from './report-month.ts'

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
    unmatchedRequests === 0 ? '' : `, ${formatCount(unmatchedRequests)} of them on paths without a row`
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
    : [`This version cannot read the stored state of ${scopes.join(', ')} and counts it as never changed.`]

/** Explains a report. `unreadable` are the scopes whose stored state this version cannot read. */
export const explainReport = (
  report: Described,
  unreadable: readonly string[],
): MigrationReport['sentences'] => ({
  summary: explainSummary(report),
  limits: [...describeUnreadable(unreadable), ...limits],
})
