import { formatCount, formatPercent } from '../gate/format-quantity.ts'
import type { MigrationReport } from './migration-report.ts'
import { tabulateRemaining } from './remaining-tables.ts'
import { formatMonth } from './report-month.ts'
import { columnOf, formatReportTime, numberColumnOf, type ReportTable, timeColumnOf } from './report-table.ts'

export const titleReport = ({ month }: MigrationReport) => `Migration report, ${formatMonth(month)}`

/** Says which moment the report describes. */
export const describeReportTime = ({ reportTime, madeAt }: MigrationReport) =>
  reportTime === madeAt
    ? `As of ${formatReportTime(madeAt)} UTC.`
    : `As of the end of ${reportTime.slice(0, 10)} (UTC); made at ${formatReportTime(madeAt)} UTC.`

const formatRounded = (fraction: number) => formatPercent(Number(fraction.toFixed(3)))

const tabulateSummary = ({ summary, rows }: MigrationReport): ReportTable => ({
  title: 'Routes by state',
  columns: [columnOf('State'), numberColumnOf('Routes'), numberColumnOf('Percentage')],
  rows: summary.states.map((each) => [each.name, formatCount(each.rows), formatRounded(each.rows / rows)]),
  empty: '',
})

const daysOfWeek = 7

/** Selects the first day, every seventh day after it, and the last. */
const selectWeeklyDays = (days: MigrationReport['days']) =>
  days.filter((_, index) => index % daysOfWeek === 0 || index === days.length - 1)

const tabulateDays = ({ days }: MigrationReport): ReportTable => {
  const weekly = selectWeeklyDays(days)
  const shown = (weekly[0]?.states ?? []).filter(({ state }) =>
    weekly.some(({ states }) => states.some((each) => each.state === state && each.rows > 0)),
  )
  const countOf = ({ states }: (typeof weekly)[number], state: string) =>
    states.find((each) => each.state === state)?.rows ?? 0
  return {
    title: 'Routes by state over time',
    columns: [
      timeColumnOf('End of the day'),
      ...shown.map(({ name }) => numberColumnOf(name)),
      numberColumnOf('held'),
    ],
    rows: weekly.map((day) => [
      day.day,
      ...shown.map(({ state }) => formatCount(countOf(day, state))),
      formatCount(day.held),
    ]),
    empty: '',
  }
}

const tabulateMoves = ({ moves }: MigrationReport): ReportTable => ({
  title: 'What moved',
  columns: [
    columnOf('Route'),
    columnOf('From'),
    columnOf('To'),
    numberColumnOf('Steps'),
    timeColumnOf('Last step (UTC)'),
    columnOf('Who'),
    columnOf('Reason'),
  ],
  rows: moves.map(({ label, from, to, steps, at, who, reason }) => [
    label,
    from,
    to,
    formatCount(steps),
    formatReportTime(at),
    who,
    reason,
  ]),
  empty: 'No route moved.',
})

const describeAction = ({ action, from, to }: MigrationReport['stops'][number]) =>
  from === to ? action : `${action}: ${from} → ${to}`

const describeEnd = ({ action, resumedAt }: MigrationReport['stops'][number]) => {
  if (action !== 'kill') return ''
  return resumedAt === null ? 'not yet' : formatReportTime(resumedAt)
}

const tabulateStops = ({ stops }: MigrationReport): ReportTable => ({
  title: 'Automatic stops and kills',
  columns: [
    columnOf('Scope'),
    columnOf('What'),
    timeColumnOf('When (UTC)'),
    columnOf('Who'),
    columnOf('Reason'),
    timeColumnOf('Resumed (UTC)'),
  ],
  rows: stops.map((stop) => [
    stop.scope,
    describeAction(stop),
    formatReportTime(stop.at),
    stop.who,
    stop.reason,
    describeEnd(stop),
  ]),
  empty: 'Nothing was stopped.',
})

export const listReportTables = (report: MigrationReport): readonly ReportTable[] => [
  tabulateSummary(report),
  tabulateDays(report),
  tabulateMoves(report),
  tabulateStops(report),
  ...tabulateRemaining(report),
]
