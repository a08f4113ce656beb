import { html } from 'hono/html'
import { formatCountOf } from '../../model/gate/format-quantity.ts'
import { areaOf } from '../../model/route-scope.ts'
import type { ListedRoute, RouteList } from '../api-types.ts'
import { changePath } from '../pages/change-request.ts'
import { needsAttention } from '../pages/route-filter.ts'
import { type Html, renderEmpty, renderState, routePath } from './html.ts'
import { isFullyNative, renderBadges, renderStage } from './route-badges.ts'

type ScopeSwitches = Pick<ListedRoute['state'], 'killed' | 'held'> & { readonly scope: string }

const renderSwitch = ({ scope, killed, held }: ScopeSwitches) => {
  const change = (kind: string, text: string, css = '') =>
    html`<a class="button small ${css}" href="${changePath(scope, { kind })}">${text}<span class="hidden"> ${scope}</span></a>`
  return html`<span class="row end">${held ? change('release', 'Release') : change('hold', 'Hold')}${killed ? change('resume', 'Resume') : change('kill', 'Kill', 'danger')}</span>`
}

const renderScopeHeading = (switches: ScopeSwitches, name: string, mayChange: boolean) =>
  html`<div class="row area"><h3><a href="${routePath(switches.scope)}">${name}</a></h3>${switches.killed && renderState('killed')}${switches.held && renderState('held')}${mayChange && renderSwitch(switches)}</div>`

const renderRow = (route: ListedRoute) => {
  const { label, method, path, effects, state, fixedHere, isTwoSided } = route
  return html`<tr>
<th scope="row"><a href="${routePath(label)}" data-route>${label}</a><span class="path small muted">${method} ${path}</span></th>
<td data-name="State">${isTwoSided ? renderStage(fixedHere ?? state) : renderState('native-only')}</td>
<td data-name="Effects" class="small">${effects}</td>
<td data-name="Notes">${renderBadges(route)}</td>
</tr>`
}

const findSwitches = ({ scopes }: RouteList, scope: string): ScopeSwitches =>
  scopes.find((each) => each.scope === scope) ?? { scope, killed: false, held: false }

const columns = html`<thead><tr><th scope="col">Route</th><th scope="col">State, native percentage</th><th scope="col">Effects</th><th scope="col">Notes</th></tr></thead>`

const renderRows = (routes: readonly ListedRoute[]) =>
  html`<table class="stacked wide routes">${columns}<tbody>${routes.map(renderRow)}</tbody></table>`

const isFinished = (route: ListedRoute) => !needsAttention(route) && isFullyNative(route)

const isMovable = ({ isTwoSided }: ListedRoute) => isTwoSided

const renderMovingArea = (
  list: RouteList,
  area: string,
  routes: readonly ListedRoute[],
  mayChange: boolean,
) =>
  html`<section id="moving-${area}" aria-label="${area}, moving">${renderScopeHeading(findSwitches(list, `${area}.*`), area, mayChange && routes.some(isMovable))}${renderRows(routes)}</section>`

const renderFinishedArea = (
  area: string,
  routes: readonly ListedRoute[],
  { switches, isOpen }: { readonly switches: Html | ''; readonly isOpen: boolean },
) =>
  html`<details class="panel finished" id="${isOpen ? 'found' : 'finished'}-${area}"${isOpen ? html` open` : ''}><summary><strong>${area}</strong> <span class="muted">${formatCountOf(routes.length, 'route')}</span></summary>${switches}${renderRows(routes)}</details>`

interface TableOptions {
  readonly mayChange: boolean
  /** Whether a search is active. If so, the finished routes that match it are shown expanded. */
  readonly isFiltered: boolean
}

export const renderRouteTable = (
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
  const switchesOf = (area: string, routes: readonly ListedRoute[]) =>
    moving.has(area)
      ? ''
      : renderScopeHeading(findSwitches(list, `${area}.*`), area, mayChange && routes.some(isMovable))
  return html`${moving.size > 0 && html`<h2>Still on the core or moving</h2>`}${[...moving].map(([area, routes]) => renderMovingArea(list, area, routes, mayChange))}
${finished.size > 0 && html`<h2>Fully on native</h2>`}${[...finished].map(([area, routes]) =>
  renderFinishedArea(area, routes, { switches: switchesOf(area, routes), isOpen: isFiltered }),
)}
<section class="everything">${renderScopeHeading(findSwitches(list, '*'), 'All routes', mayChange)}<p class="small muted">Kill sends every route to the core at once. Hold keeps automation from moving routes.</p></section>`
}
