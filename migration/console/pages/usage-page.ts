import { html } from 'hono/html'
import { isLabel } from '#contracts/shared/row.ts'
import { formatCount } from '#shared/format-quantity.ts'
import type { CoreUsage } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleTools } from '../respond.ts'
import { renderEmpty, renderScopeLink, renderTime } from '../views/html.ts'

type RouteUsage = CoreUsage['routes'][number]
type Shape = CoreUsage['unmatched']['shapes'][number]

const renderCauses = (causes: RouteUsage['causes']) =>
  causes
    .filter(({ requests }) => requests > 0)
    .map(({ cause, requests }) => html`<span class="badge">${cause} ${formatCount(requests)}</span> `)

const renderRoute = ({ label, requests, lastAt, causes }: RouteUsage) =>
  html`<tr><th scope="row">${isLabel(label) ? renderScopeLink(label) : label}</th><td data-name="Requests" class="number">${formatCount(requests)}</td><td data-name="Last">${lastAt === null ? '–' : renderTime(lastAt)}</td><td data-name="Why"><span class="badges">${renderCauses(causes)}</span></td></tr>`

const renderShape = ({ method, shape, requests, lastAt }: Shape) =>
  html`<tr><th scope="row"><code>${method} ${shape}</code></th><td data-name="Requests" class="number">${formatCount(requests)}</td><td data-name="Last">${renderTime(lastAt)}</td></tr>`

const renderRoutes = (routes: readonly RouteUsage[]) =>
  routes.length === 0
    ? renderEmpty('The core has not served any requests yet.', 'Its requests appear here within ten seconds.')
    : html`<table class="stacked"><thead><tr><th scope="col">Route</th><th scope="col" class="number">Requests in 15 days</th><th scope="col">Last</th><th scope="col">Why</th></tr></thead><tbody>${routes.map(renderRoute)}</tbody></table>`

const renderUnmatched = ({ shapes, other }: CoreUsage['unmatched']) =>
  shapes.length === 0
    ? renderEmpty(
        'All paths that the core has served match a route.',
        'Paths that have returned only errors are left out.',
      )
    : html`<table class="stacked"><thead><tr><th scope="col">Shape of the path</th><th scope="col" class="number">Requests in 15 days</th><th scope="col">Last</th></tr></thead><tbody>${shapes.map(renderShape)}</tbody></table>${other > 0 && html`<p class="small muted">${formatCount(other)} more requests were for paths that have returned only errors, or for more shapes than are recorded.</p>`}`

export const mountUsagePage = (app: ConsoleApp, { api, respond }: ConsoleTools): void => {
  app.get('/console/core-usage', async (context) => {
    const { routes, unmatched, sentences } = await api.read<CoreUsage>(
      context.get('operator'),
      '/api/core-usage',
    )
    return respond.page(context, {
      title: 'Core usage',
      section: '/console/core-usage',
      isLive: true,
      body: html`<p>${sentences.at(-1)}</p><h2>What still needs the core</h2>${renderRoutes(routes)}<h2>Paths that match no route</h2>${renderUnmatched(unmatched)}`,
    })
  })
}
