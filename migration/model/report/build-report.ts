import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { formatCount, formatCountOf } from '#shared/format-quantity.ts'
import { formatDay } from '#shared/iso-clock.ts'
import type { ExplainedInstance } from '../explain-route.ts'
import { formatStage } from '../format-state.ts'
import { areaOf, type RouteScope } from '../route-scope.ts'
import { type CountedUsage, invisibleCallers, summarizeUsage } from '../usage/summarize-usage.ts'
import type { MigrationReport } from './migration-report.ts'
import { findReportTime, formatMonth, listDayEnds, type ReportMonth } from './report-month.ts'
import {
  countRows,
  createStateHistory,
  findHolderAt,
  findKillerAt,
  isDone,
  isMove,
  type PresentState,
  parseStateChanges,
  type StateChange,
  type StateHistory,
} from './state-history.ts'

type ReportingInstance = Pick<ExplainedInstance, 'hasHandler' | 'findMissingSettings'>

interface RemainingInput {
  readonly history: StateHistory
  readonly usage: readonly CountedUsage[] | null
  readonly instance: ReportingInstance
  readonly at: number
}

const createUsageLookup = (usage: RemainingInput['usage']) => {
  if (usage === null) return () => ({ requests: null, causes: [] })
  const byLabel = new Map(summarizeUsage(usage, []).map((route) => [route.label, route]))
  return (label: string) => {
    const { requests, causes } = byLabel.get(label) ?? { requests: 0, causes: [] }
    return {
      requests,
      causes: causes
        .filter(({ cause }) => cause !== 'shadow')
        .map((each) => ({ cause: each.cause, requests: each.requests })),
    }
  }
}

const listObstacles = ({ history, instance, at }: RemainingInput, label: Label): string[] => {
  const killer = findKillerAt(history, label, at)
  const holder = findHolderAt(history, label, at)
  const missing = instance.findMissingSettings(label)
  const lacksHandler = missing === undefined && !instance.hasHandler(label)
  return [
    ...(killer === null ? [] : [`killed by ${killer}`]),
    ...(holder === null ? [] : [`held by ${holder}`]),
    ...(missing === undefined ? [] : [missing]),
    ...(lacksHandler ? ['no handler'] : []),
  ]
}

const byRequests = (
  left: { readonly label: string; readonly requests: number | null },
  right: { readonly label: string; readonly requests: number | null },
) => (right.requests ?? 0) - (left.requests ?? 0) || (left.label < right.label ? -1 : 1)

const sumRequests = (routes: readonly { readonly requests: number | null }[]) =>
  routes.reduce<number | null>(
    (sum, { requests }) => (sum === null || requests === null ? null : sum + requests),
    0,
  )

const listRemaining = (input: RemainingInput) => {
  const { history, at } = input
  const findUsage = createUsageLookup(input.usage)
  const describe = (label: Label) => ({
    label,
    state: formatStage(history.stateAt(label, at)),
    ...findUsage(label),
    obstacles: listObstacles(input, label),
  })
  const remaining = labels.filter((label) => !isDone(history, label, at)).map(describe)
  const areas = [...Map.groupBy(remaining, ({ label }) => areaOf(label))].map(([area, routes]) => ({
    area,
    requests: sumRequests(routes),
    routes: routes.toSorted(byRequests),
  }))
  const done = labels.filter((label) => isTwoSided(label) && isDone(history, label, at)).map(describe)
  return {
    rows: remaining.length,
    areas: areas.toSorted((left, right) =>
      byRequests({ ...left, label: left.area }, { ...right, label: right.area }),
    ),
    nativeWithCoreRequests: done.filter(({ requests }) => (requests ?? 0) > 0).toSorted(byRequests),
    unmatchedRequests: findUsage('unmatched').requests,
  }
}

interface Period {
  readonly from: number
  /** Inclusive. */
  readonly to: number
}

const isIn = ({ at }: StateChange, { from, to }: Period) => at >= from && at <= to

const listMoves = ({ listChanges }: StateHistory, period: Period) =>
  labels
    .flatMap((label) => {
      const steps = listChanges(label).filter((change) => isIn(change, period) && isMove(change))
      const [first] = steps
      const last = steps.at(-1)
      if (!first || !last) return []
      const { at, who, reason } = last
      const [from, to] = [formatStage(first.before), formatStage(last.after)]
      return [{ label, from, to, at, who, reason, steps: steps.length }]
    })
    .toSorted((left, right) => left.at - right.at)
    .map((move) => ({ ...move, at: new Date(move.at).toISOString() }))

// A person's hold is not a stop, because it leaves the route where it is.
const isStop = ({ action, who }: StateChange) =>
  action === 'rollback' || action === 'kill' || (action === 'hold' && who === 'auto')

const findResume = ({ listChanges }: StateHistory, { scope, at, action }: StateChange, period: Period) =>
  action === 'kill'
    ? listChanges(scope).find((change) => change.at > at && change.at <= period.to && !change.after.killed)
    : undefined

const listStops = (history: StateHistory, period: Period) =>
  history.changes
    .filter((change) => isIn(change, period) && isStop(change))
    .map((change) => {
      const { at, who, scope, action, before, after, reason } = change
      const resumed = findResume(history, change, period)
      return {
        at: new Date(at).toISOString(),
        who,
        scope,
        action,
        from: formatStage(before),
        to: formatStage(after),
        reason,
        /** When the kill ended; null if it was still in force when the report was made. */
        resumedAt: resumed === undefined ? null : new Date(resumed.at).toISOString(),
      }
    })

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

const describeUncounted = (scopes: readonly string[]) =>
  scopes.length === 0
    ? []
    : [
        `This version of Crossfade cannot read the stored state of ${scopes.join(', ')}, so it is counted as never changed.`,
      ]

const explainReport = (report: Described, unreadable: readonly string[]): MigrationReport['sentences'] => ({
  summary: explainSummary(report),
  limits: [...describeUncounted(unreadable), ...limits],
})

interface ReportInput {
  readonly month: ReportMonth
  /** Unix time in milliseconds. */
  readonly now: number
  readonly states: ReadonlyMap<RouteScope, PresentState>
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
