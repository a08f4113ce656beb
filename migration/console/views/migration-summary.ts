import { html } from 'hono/html'
import type { RouteList } from '../api-types.ts'
import { formatAge } from './format-time.ts'
import { routePath } from './html.ts'

const stages = ['native', 'canary', 'shadow', 'proxy', 'retired'] as const

type RouteListInstances = RouteList['instances']

const renderFigure = (figure: string, text: string) => html`<li><b>${figure}</b>${text}</li>`

const renderUnknown = ({ unknown }: RouteListInstances) =>
  unknown.map(
    ({ id, epoch, lastReportAgeS }) =>
      html`<div class="notice warn"><p>Instance <code>${id}</code> (epoch ${epoch}) has last reported ${formatAge(1000 * lastReportAgeS)}. It may still serve an older state. <a href="/console/instances">Instances</a></p></div>`,
  )

const renderWarnings = ({ isRestored, warnings, invalid, scopes, instances }: RouteList) => [
  isRestored &&
    html`<div class="notice bad"><p>Automation is held until somebody accepts the restored database. <a href="/console/accept-restore">Accept it</a></p></div>`,
  ...warnings.map((warning) => html`<div class="notice warn"><p>${warning}</p></div>`),
  ...invalid.map(
    ({ scope, problem }) =>
      html`<div class="notice bad"><p>The stored state of ${scope} is invalid: ${problem}. Instances keep the last one that they could read.</p></div>`,
  ),
  ...scopes
    .filter(({ killed }) => killed)
    .map(
      ({ scope }) =>
        html`<div class="notice bad"><p><a href="${routePath(scope)}">${scope}</a> is killed: the core serves all of its routes.</p></div>`,
    ),
  ...renderUnknown(instances),
]

/** How many routes are in which state, and what an operator must know. */
export const renderSummary = (list: RouteList) => {
  const { routes, instances, epoch } = list
  const twoSided = routes.filter(({ isTwoSided }) => isTwoSided)
  const counts = stages.map(
    (stage) => [stage, twoSided.filter(({ state }) => state.stage === stage).length] as const,
  )
  return html`<ul class="figures">
${counts.filter(([stage, count]) => stage !== 'retired' || count > 0).map(([stage, count]) => renderFigure(String(count), stage))}
${renderFigure(String(routes.length - twoSided.length), 'native-only')}
${renderFigure(`${instances.adopted}/${instances.live}`, `instances at epoch ${epoch}`)}
</ul>${renderWarnings(list)}`
}
