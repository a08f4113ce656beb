import { html } from 'hono/html'
import { formatPercent } from '../../model/gate/format-quantity.ts'
import type { History, ListedRoute, RouteList } from '../api-types.ts'
import { formatAge } from './format-time.ts'
import { findNativeShare } from './history-charts.ts'
import { renderScopeLink, renderState as renderStateBadge, routePath } from './html.ts'
import { isStopped } from './route-badges.ts'

const stages = ['native', 'canary', 'shadow', 'proxy', 'retired'] as const

type RouteListInstances = RouteList['instances']

const renderUnknown = ({ unknown }: RouteListInstances) =>
  unknown.map(
    ({ id, epoch, lastReportAgeS }) =>
      html`<div class="notice warn"><p>Instance <code>${id}</code> (epoch ${epoch}) last reported ${formatAge(1000 * lastReportAgeS)}. It may still be serving an older state. <a href="/console/instances">Instances</a></p></div>`,
  )

const renderStops = (routes: readonly ListedRoute[]) =>
  routes
    .filter(isStopped)
    .map(
      ({ label }) =>
        html`<div class="notice bad"><p>${renderScopeLink(label)} was stopped automatically, so the core now serves it.</p></div>`,
    )

const renderWarnings = ({ isRestored, warnings, routes, invalid, scopes, instances }: RouteList) => [
  isRestored &&
    html`<div class="notice bad"><p>Automation is held until you accept the restored database. <a href="/console/accept-restore">Accept it</a></p></div>`,
  ...warnings.map((warning) => html`<div class="notice warn"><p>${warning}</p></div>`),
  ...invalid.map(
    ({ scope, problem }) =>
      html`<div class="notice bad"><p>The stored state of ${scope} is invalid: ${problem}. Instances keep the last state that they could read.</p></div>`,
  ),
  ...scopes
    .filter(({ killed }) => killed)
    .map(
      ({ scope }) =>
        html`<div class="notice bad"><p><a href="${routePath(scope)}">${scope}</a> is killed, so the core serves all its routes.</p></div>`,
    ),
  ...renderStops(routes),
  ...renderUnknown(instances),
]

const isNative = ({ isTwoSided, state, fixedHere }: ListedRoute) =>
  !isTwoSided || ['native', 'retired'].includes((fixedHere ?? state).stage ?? '')

const renderHeadline = (routes: readonly ListedRoute[], history: History) => {
  const share = findNativeShare(history)
  const count = html`<b>${routes.filter(isNative).length} of ${routes.length}</b> routes`
  return share === null
    ? html`<p class="headline">Native serves ${count}.</p>`
    : html`<p class="headline">Native serves <b>${formatPercent(share)}</b> of requests, ${count}.</p>`
}

const renderState = (state: string, count: number) =>
  html`<a href="/console?${new URLSearchParams({ state })}">${renderStateBadge(state)} ${count}</a>`

/** Shows how far the migration has come, how many routes are in each state, and what operators must know. */
export const renderSummary = (list: RouteList, history: History) => {
  const { routes, instances, epoch } = list
  const twoSided = routes.filter(({ isTwoSided }) => isTwoSided)
  const counts = stages.map(
    (stage) => [stage, twoSided.filter(({ state }) => state.stage === stage).length] as const,
  )
  return html`${renderHeadline(routes, history)}${renderWarnings(list)}
<p class="row states small">${counts.filter(([stage, count]) => stage !== 'retired' || count > 0).map(([stage, count]) => renderState(stage, count))}
${renderState('native-only', routes.length - twoSided.length)}
<a class="end" href="/console/instances">${instances.adopted} of ${instances.live} instances at epoch ${epoch}</a></p>`
}
