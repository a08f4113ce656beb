import { formatCount } from '../gate/format-quantity.ts'
import type { MigrationReport } from './migration-report.ts'
import { columnOf, numberColumnOf, type ReportTable } from './report-table.ts'

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

export const tabulateRemaining = (report: MigrationReport): readonly ReportTable[] => {
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
