import { formatCount, formatPercent } from '#shared/format-quantity.ts'
import type { MigrationReport } from './migration-report.ts'
import { formatMonth } from './report-month.ts'

export interface ReportTable {
  readonly title: string
  readonly columns: readonly { readonly name: string; readonly kind?: 'number' | 'time' }[]
  readonly rows: readonly (readonly string[])[]
  /** Shown instead of the table if it has no rows. */
  readonly empty: string
}

const columnOf = (name: string) => ({ name })
const numberColumnOf = (name: string) => ({ name, kind: 'number' }) as const
const timeColumnOf = (name: string) => ({ name, kind: 'time' }) as const

/** Formats a time in UTC: `2026-11-25 09:33`. Never a relative time, because a report may be read much later. */
const formatReportTime = (at: string) => at.slice(0, 16).replace('T', ' ')

export const titleReport = ({ month }: MigrationReport) => `Migration report, ${formatMonth(month)}`

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
      timeColumnOf('End of day'),
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

const formatRequests = (requests: number | null) =>
  requests === null ? 'not recorded' : formatCount(requests)

const requestColumn = numberColumnOf('Core requests, 7 days')

const tabulateAreas = ({ remaining: { areas } }: MigrationReport): ReportTable => ({
  title: 'What is left, by area',
  columns: [columnOf('Area'), numberColumnOf('Routes'), requestColumn],
  rows: areas.map(({ area, routes, requests }) => [
    area,
    formatCount(routes.length),
    formatRequests(requests),
  ]),
  empty: 'Nothing: native serves every route.',
})

type RemainingRoute = MigrationReport['remaining']['nativeWithCoreRequests'][number]

const formatCauses = ({ causes }: RemainingRoute) =>
  causes.map(({ cause, requests }) => `${cause} ${formatCount(requests)}`).join(', ')

const tabulateRoutes = (title: string, routes: readonly RemainingRoute[], empty: string): ReportTable => ({
  title,
  columns: [
    columnOf('Route'),
    columnOf('State'),
    requestColumn,
    columnOf('Causes'),
    columnOf('What blocks it'),
  ],
  rows: routes.map((route) => [
    route.label,
    route.state,
    formatRequests(route.requests),
    formatCauses(route),
    route.obstacles.join('; '),
  ]),
  empty,
})

const tabulateRemaining = (report: MigrationReport): readonly ReportTable[] => {
  const { areas, nativeWithCoreRequests } = report.remaining
  return [
    tabulateAreas(report),
    tabulateRoutes(
      'Routes the core serves',
      areas.flatMap(({ routes }) => routes),
      'None.',
    ),
    tabulateRoutes('Native routes the core has also served', nativeWithCoreRequests, 'None in these 7 days.'),
  ]
}

export const listReportTables = (report: MigrationReport): readonly ReportTable[] => [
  tabulateSummary(report),
  tabulateDays(report),
  tabulateMoves(report),
  tabulateStops(report),
  ...tabulateRemaining(report),
]

// A person's reason must not become markup or end a table cell.
const escapeMarkdown = (text: string) =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>|~#&!]/g, (character) => `\\${character}`)

const formatCells = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

const formatTable = ({ title, columns, rows, empty }: ReportTable) => [
  `## ${title}`,
  '',
  ...(rows.length === 0
    ? [empty]
    : [
        formatCells(columns.map(({ name }) => name)),
        formatCells(columns.map(({ kind }) => (kind === 'number' ? '---:' : '---'))),
        ...rows.map((cells) => formatCells(cells.map(escapeMarkdown))),
      ]),
  '',
]

const formatSentences = (sentences: readonly string[]) =>
  sentences.flatMap((sentence) => [escapeMarkdown(sentence), ''])

export const formatReportMarkdown = (report: MigrationReport): string => {
  const { summary, limits } = report.sentences
  return [
    `# ${titleReport(report)}`,
    '',
    describeReportTime(report),
    '',
    ...formatSentences(summary),
    ...listReportTables(report).flatMap(formatTable),
    '## What this report leaves out',
    '',
    ...formatSentences(limits),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}
