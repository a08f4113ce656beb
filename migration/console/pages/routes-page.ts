import { html } from 'hono/html'
import { isAllowed } from '../../api/operator-middleware.ts'
import type { History, RouteList } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleTools } from '../respond.ts'
import { renderNativeChart } from '../views/history-charts.ts'
import { renderSummary } from '../views/migration-summary.ts'
import { renderRouteTable } from '../views/route-table-view.ts'
import { filterRoutes, readRouteFilter, renderRouteFilter } from './route-filter.ts'

export const mountRoutesPage = (app: ConsoleApp, { api, respond }: ConsoleTools): void => {
  app.get('/console', async (context) => {
    const operator = context.get('operator')
    const [list, history] = await Promise.all([
      api.read<RouteList>(operator, '/api/routes'),
      api.read<History>(
        operator,
        `/api/history?${new URLSearchParams({ days: context.req.query('days') || '7' })}`,
      ),
    ])
    const filter = readRouteFilter(context.req.query())
    const shown = filterRoutes(list.routes, filter)
    return respond.page(context, {
      title: 'Routes',
      section: '/console',
      isLive: true,
      body: html`${renderSummary(list, history)}${renderNativeChart(history)}${renderRouteFilter(filter, shown.length, list.routes.length)}${renderRouteTable(
        list,
        shown,
        {
          mayChange: isAllowed(operator, 'change'),
          isFiltered: shown.length < list.routes.length,
        },
      )}`,
    })
  })
}
