import { html } from 'hono/html'
import { formatPercent } from '../../model/gate/format-quantity.ts'
import type { History, ListedRoute, RouteList } from '../api-types.ts'
import { findNativeShare } from './history-charts.ts'
import { formatAge, renderAlert, renderScopeLink, renderState as renderStateBadge } from './html.ts'
import { isFullyNative, isStopped } from './route-badges.ts'

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
  const share = findNativeShare(history)
  const count = html`<b>${routes.filter(isFullyNative).length} of ${routes.length}</b> routes`
  return share === null
    ? html`<p class="headline">Native serves ${count}.</p>`
    : html`<p class="headline">Native serves <b>${formatPercent(share)}</b> of requests, ${count}.</p>`
}

const renderState = (state: string, count: number) =>
  html`<a href="/console?${new URLSearchParams({ state })}">${renderStateBadge(state)} ${count}</a>`

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
