import { html } from 'hono/html'
import { areaOf } from '../../model/route-scope.ts'
import type { ListedRoute, RouteList } from '../api-types.ts'
import { changePath } from '../pages/change-request.ts'
import { renderEmpty, renderState, routePath } from './html.ts'
import { renderBadges, renderStage } from './route-badges.ts'

interface ScopeSwitches {
  readonly scope: string
  readonly killed: boolean
  readonly held: boolean
}

const renderSwitch = ({ scope, killed, held }: ScopeSwitches) => {
  const change = (kind: string, text: string, css = '') =>
    html`<a class="button small ${css}" href="${changePath(scope, { kind })}">${text}<span class="hidden"> ${scope}</span></a>`
  return html`<span class="row end">${held ? change('release', 'Release') : change('hold', 'Hold')}${killed ? change('resume', 'Resume') : change('kill', 'Kill', 'danger')}</span>`
}

const renderScopeHeading = (switches: ScopeSwitches, name: string, mayChange: boolean) =>
  html`<div class="row area"><h2><a href="${routePath(switches.scope)}">${name}</a></h2>${switches.killed && renderState('killed')}${switches.held && renderState('held')}${mayChange && renderSwitch(switches)}</div>`

const renderRow = (route: ListedRoute) => {
  const { label, method, path, effects, state, fixedHere, isTwoSided } = route
  return html`<tr>
<th scope="row"><a href="${routePath(label)}">${label}</a><span class="path small muted">${method} ${path}</span></th>
<td data-name="State">${isTwoSided ? renderStage(fixedHere ?? state) : renderState('native-only')}</td>
<td data-name="Effects" class="small">${effects}</td>
<td data-name="Notes">${renderBadges(route)}</td>
</tr>`
}

const findSwitches = ({ scopes }: RouteList, scope: string): ScopeSwitches =>
  scopes.find((each) => each.scope === scope) ?? { scope, killed: false, held: false }

const renderArea = (list: RouteList, area: string, routes: readonly ListedRoute[], mayChange: boolean) =>
  html`<section aria-label="${area}">${renderScopeHeading(findSwitches(list, `${area}.*`), area, mayChange && routes.some(({ isTwoSided }) => isTwoSided))}
<table class="stacked routes"><thead><tr><th scope="col">Route</th><th scope="col">State, percentage of native</th><th scope="col">Effects</th><th scope="col">Notes</th></tr></thead>
<tbody>${routes.map(renderRow)}</tbody></table></section>`

/** The routes by area, and what switches a whole area or everything. */
export const renderRouteTable = (list: RouteList, shown: readonly ListedRoute[], mayChange: boolean) => {
  if (shown.length === 0)
    return renderEmpty('No route matches.', html`<a href="/console">Show all routes</a>`)
  const areas = Map.groupBy(shown, ({ label }) => areaOf(label))
  return html`${[...areas].map(([area, routes]) => renderArea(list, area, routes, mayChange))}
<section class="everything">${renderScopeHeading(findSwitches(list, '*'), 'All routes', mayChange)}<p class="small muted">Kill has the core serve every route at once. Hold keeps automation from moving any.</p></section>`
}
