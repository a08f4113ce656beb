import { html } from 'hono/html'
import { labels } from '#contracts/shared/row.ts'
import { formatCountOf, formatPercent } from '#shared/format-quantity.ts'
import { formatQuery } from '../../api/format-query.ts'
import { isAllowed } from '../../api/operator-middleware.ts'
import { areaOf } from '../../model/route-scope.ts'
import { routeStages } from '../../model/route-state.ts'
import type { History, ListedRoute, RouteList } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleTools } from '../respond.ts'
import { sumRequests } from '../views/charts.ts'
import { renderNativeChart } from '../views/history-charts.ts'
import {
  formatAge,
  renderAlert,
  renderEmpty,
  renderOptions,
  renderScopeLink,
  renderState,
  routePath,
} from '../views/html.ts'
import { isFullyNative, isStopped, renderBadges, renderStage } from '../views/route-badges.ts'
import { changePath } from './change-request.ts'

const stages = ['native', 'canary', 'shadow', 'proxy', 'retired'] as const

const renderUnknown = ({ id, epoch, lastReportAgeS }: RouteList['instances']['unknown'][number]) =>
  renderAlert(
    'warn',
    html`Instance <code>${id}</code> (epoch ${epoch}) last reported ${formatAge(1000 * lastReportAgeS)}. It may still be serving an older state. <a href="/console/instances">Instances</a>`,
  )

const renderWarnings = ({ isRestored, warnings, routes, invalid, scopes, instances }: RouteList) => [
  isRestored &&
    renderAlert(
      'bad',
      html`Automation is held until you accept the restored database. <a href="/console/accept-restore">Accept it</a>`,
    ),
  ...warnings.map((warning) => renderAlert('warn', warning)),
  ...invalid.map(({ scope, problem }) =>
    renderAlert(
      'bad',
      `The stored state of ${scope} is invalid: ${problem}. Instances keep the last state that they could read.`,
    ),
  ),
  ...scopes
    .filter(({ killed }) => killed)
    .map(({ scope }) =>
      renderAlert('bad', html`${renderScopeLink(scope)} is killed, so the core serves all its routes.`),
    ),
  ...routes
    .filter(isStopped)
    .map(({ label }) =>
      renderAlert(
        'bad',
        html`${renderScopeLink(label)} was stopped automatically, so the core now serves it.`,
      ),
    ),
  ...instances.unknown.map(renderUnknown),
]

const renderHeadline = (routes: readonly ListedRoute[], history: History) => {
  const [native, core] = [sumRequests(history, 'native'), sumRequests(history, 'core')]
  const count = html`<b>${routes.filter(isFullyNative).length} of ${routes.length}</b> routes`
  return native + core === 0
    ? html`<p class="headline">Native serves ${count}.</p>`
    : html`<p class="headline">Native serves <b>${formatPercent(native / (native + core))}</b> of requests, ${count}.</p>`
}

const renderCount = (state: string, count: number) =>
  html`<a href="/console${formatQuery({ state })}">${renderState(state)} ${count}</a>`

const renderSummary = (list: RouteList, history: History) => {
  const { routes, instances, epoch } = list
  const twoSided = routes.filter(({ isTwoSided }) => isTwoSided)
  const counts = stages.map(
    (stage) => [stage, twoSided.filter(({ state }) => state.stage === stage).length] as const,
  )
  return html`${renderHeadline(routes, history)}${renderWarnings(list)}
<p class="row states small">${counts.filter(([stage, count]) => stage !== 'retired' || count > 0).map(([stage, count]) => renderCount(stage, count))}
${renderCount('native-only', routes.length - twoSided.length)}
<a class="end" href="/console/instances">${instances.adopted} of ${instances.live} instances at epoch ${epoch}</a></p>`
}

interface RouteFilter {
  readonly area: string
  readonly state: string
  readonly text: string
}

const areas = [...new Set(labels.map(areaOf))]
const states = [...routeStages, 'native-only', 'attention'] as const

const readRouteFilter = ({ area = '', state = '', text = '' }: Record<string, string>): RouteFilter => ({
  area,
  state,
  text: text.trim().toLowerCase(),
})

/** Whether a route is not served as its stage says, or automation does not move it. */
const needsAttention = ({ notes }: ListedRoute) =>
  notes.some(({ kind }) => ['killed', 'held', 'stopped', 'failed', 'paused'].includes(kind))

const hasState = (route: ListedRoute, state: string) => {
  if (state === 'attention') return needsAttention(route)
  if (state === 'native-only') return !route.isTwoSided
  return route.isTwoSided && route.state.stage === state
}

const filterRoutes = (routes: readonly ListedRoute[], { area, state, text }: RouteFilter) =>
  routes.filter(
    (route) =>
      (area === '' || areaOf(route.label) === area) &&
      (state === '' || hasState(route, state)) &&
      (text === '' || `${route.label} ${route.method} ${route.path}`.toLowerCase().includes(text)),
  )

const renderRouteFilter = ({ area, state, text }: RouteFilter, shown: number, all: number) =>
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

type ScopeSwitches = Pick<ListedRoute['state'], 'killed' | 'held'> & { readonly scope: string }

const renderSwitch = ({ scope, killed, held }: ScopeSwitches) => {
  const change = (kind: string, text: string, css = '') =>
    html`<a class="button small ${css}" href="${changePath(scope, { kind })}">${text}<span class="hidden"> ${scope}</span></a>`
  return html`<span class="row end">${held ? change('release', 'Release') : change('hold', 'Hold')}${killed ? change('resume', 'Resume') : change('kill', 'Kill', 'danger')}</span>`
}

const renderScopeHeading = ({ scopes }: RouteList, scope: string, name: string, mayChange: boolean) => {
  const switches = scopes.find((each) => each.scope === scope) ?? { scope, killed: false, held: false }
  const { killed, held } = switches
  return html`<div class="row area"><h3><a href="${routePath(scope)}">${name}</a></h3>${killed && renderState('killed')}${held && renderState('held')}${mayChange && renderSwitch(switches)}</div>`
}

const renderRow = (route: ListedRoute) => {
  const { label, method, path, effects, state, fixedHere, isTwoSided } = route
  return html`<tr>
<th scope="row"><a href="${routePath(label)}" data-route>${label}</a><span class="path small muted">${method} ${path}</span></th>
<td data-name="State">${isTwoSided ? renderStage(fixedHere ?? state) : renderState('native-only')}</td>
<td data-name="Effects" class="small">${effects}</td>
<td data-name="Notes">${renderBadges(route)}</td>
</tr>`
}

const columns = html`<thead><tr><th scope="col">Route</th><th scope="col">State, native percentage</th><th scope="col">Effects</th><th scope="col">Notes</th></tr></thead>`

const renderRows = (routes: readonly ListedRoute[]) =>
  html`<table class="stacked wide routes">${columns}<tbody>${routes.map(renderRow)}</tbody></table>`

const isFinished = (route: ListedRoute) => !needsAttention(route) && isFullyNative(route)

type Area = readonly [name: string, routes: readonly ListedRoute[]]

interface TableOptions {
  readonly mayChange: boolean
  /** Whether a search is active. If so, the finished routes that match it are shown expanded. */
  readonly isFiltered: boolean
}

const renderRouteTable = (
  list: RouteList,
  shown: readonly ListedRoute[],
  { mayChange, isFiltered }: TableOptions,
) => {
  if (shown.length === 0)
    return renderEmpty('No route matches.', html`<a href="/console">Show all routes</a>`)
  const byArea = (isWanted: (route: ListedRoute) => boolean) =>
    Map.groupBy(shown.filter(isWanted), ({ label }) => areaOf(label))
  const moving = byArea((route) => !isFinished(route))
  const finished = byArea(isFinished)
  const renderHeading = (area: string, routes: readonly ListedRoute[]) =>
    renderScopeHeading(list, `${area}.*`, area, mayChange && routes.some(({ isTwoSided }) => isTwoSided))
  const renderMoving = ([area, routes]: Area) =>
    html`<section id="moving-${area}" aria-label="${area}, moving">${renderHeading(area, routes)}${renderRows(routes)}</section>`
  const renderFinished = ([area, routes]: Area) =>
    html`<details class="panel finished" id="${isFiltered ? 'found' : 'finished'}-${area}"${isFiltered ? html` open` : ''}><summary><strong>${area}</strong> <span class="muted">${formatCountOf(routes.length, 'route')}</span></summary>${!moving.has(area) && renderHeading(area, routes)}${renderRows(routes)}</details>`
  return html`${moving.size > 0 && html`<h2>Still on the core or moving</h2>`}${[...moving].map(renderMoving)}
${finished.size > 0 && html`<h2>Fully on native</h2>`}${[...finished].map(renderFinished)}
<section class="everything">${renderScopeHeading(list, '*', 'All routes', mayChange)}<p class="small muted">Kill sends every route to the core at once. Hold keeps automation from moving routes.</p></section>`
}

export const mountRoutesPage = (app: ConsoleApp, { api, respond }: ConsoleTools): void => {
  app.get('/console', async (context) => {
    const operator = context.get('operator')
    const [list, history] = await Promise.all([
      api.read<RouteList>(operator, '/api/routes'),
      api.read<History>(operator, `/api/history${formatQuery({ days: context.req.query('days') || 7 })}`),
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
