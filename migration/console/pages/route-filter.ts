import { html } from 'hono/html'
import { labels } from '#contracts/shared/row.ts'
import { areaOf } from '../../model/route-scope.ts'
import { routeStages } from '../../model/route-state.ts'
import type { ListedRoute } from '../api-types.ts'
import { renderOptions } from '../views/html.ts'

interface RouteFilter {
  readonly area: string
  readonly state: string
  readonly text: string
}

const areas = [...new Set(labels.map(areaOf))]
const states = [...routeStages, 'native-only', 'attention'] as const

export const readRouteFilter = ({
  area = '',
  state = '',
  text = '',
}: Record<string, string>): RouteFilter => ({
  area,
  state,
  text: text.trim().toLowerCase(),
})

/** Whether a route is not served as its stage says, or automation does not move it. */
export const needsAttention = ({ notes }: ListedRoute) =>
  notes.some(({ kind }) => ['killed', 'held', 'stopped', 'failed', 'paused'].includes(kind))

const hasState = (route: ListedRoute, state: string) => {
  if (state === 'attention') return needsAttention(route)
  if (state === 'native-only') return !route.isTwoSided
  return route.isTwoSided && route.state.stage === state
}

export const filterRoutes = (routes: readonly ListedRoute[], { area, state, text }: RouteFilter) =>
  routes.filter(
    (route) =>
      (area === '' || areaOf(route.label) === area) &&
      (state === '' || hasState(route, state)) &&
      (text === '' || `${route.label} ${route.method} ${route.path}`.toLowerCase().includes(text)),
  )

export const renderRouteFilter = ({ area, state, text }: RouteFilter, shown: number, all: number) =>
  html`<form class="row filter" id="search" method="get" action="/console" role="search">
<label>Area<select name="area">${renderOptions([['', 'all areas'], ...areas.map((each) => [each, each] as const)], area)}</select></label>
<label>State<select name="state">${renderOptions(
    [
      ['', 'all states'],
      ...states.map((each) => [each, each === 'attention' ? 'killed, held or stopped' : each] as const),
    ],
    state,
  )}</select></label>
<label>Label or path<input type="search" name="text" value="${text}" maxlength="100" aria-keyshortcuts="/" placeholder="/ to search" autocomplete="off"></label>
<button>Filter</button>
<span class="muted small end">${shown === all ? `${all} routes` : html`${shown} of ${all} routes, <a href="/console">show all</a>`}</span>
</form>`
