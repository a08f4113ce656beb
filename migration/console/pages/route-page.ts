import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { isLabel } from '#contracts/shared/row.ts'
import { isAllowed } from '../../api/operator-middleware.ts'
import type { Operator } from '../../api/operators.ts'
import type { AuditEntries, Evidence, Explanation, RouteHistory } from '../api-types.ts'
import type { ConsoleEnv } from '../console-options.ts'
import { type ConsoleTools, isRefresh } from '../respond.ts'
import { renderAuditTable } from '../views/audit-table.ts'
import { renderChangeForms } from '../views/change-forms.ts'
import { renderChecks, renderComparisons } from '../views/evidence-view.ts'
import { renderRouteCharts } from '../views/history-charts.ts'
import { renderSentences, routePath } from '../views/html.ts'
import { renderMismatches } from '../views/mismatch-list.ts'
import { renderRetirement } from '../views/retirement-view.ts'
import { renderStage } from '../views/route-badges.ts'
import { renderTraffic } from '../views/traffic-view.ts'

const auditEntries = 10
// Most of what a refresh costs is reading the evidence.
const refreshMaxAgeS = 15

const renderSubjectForm = (scope: string, { account = '', link = '' }: Record<string, string>) =>
  html`<form class="row subject" method="get" action="${routePath(scope)}"><label>Account<input name="account" value="${account}" placeholder="acct_…" maxlength="128"></label><label>or slug or token of a share link<input name="link" value="${link}" maxlength="200"></label><button>Explain</button></form>`

const toQuery = (asked: Record<string, string>) => {
  const query = new URLSearchParams()
  for (const name of ['account', 'link']) if (asked[name]) query.set(name, asked[name])
  return query.size === 0 ? '' : `?${query}`
}

/** Creates the page of one route, of an area, or of everything. */
export const createRoutePages = ({ api, respond }: ConsoleTools): Hono<ConsoleEnv> => {
  const app = new Hono<ConsoleEnv>()

  const readAudit = (operator: Operator, scope: string) =>
    api.read<AuditEntries>(
      operator,
      `/api/audit?${new URLSearchParams({ scope, limit: String(auditEntries) })}`,
    )

  const renderEvidence = async (operator: Operator, label: string, hours: string, maxAgeS?: number) => {
    const [evidence, history] = await Promise.all([
      api.read<Evidence>(operator, `/api/routes/${label}/evidence`, maxAgeS),
      api.read<RouteHistory>(operator, `/api/routes/${label}/history?${new URLSearchParams({ hours })}`),
    ])
    return html`${renderRouteCharts(history, routePath(label))}${renderTraffic(evidence)}${renderChecks(evidence)}${renderComparisons(evidence)}${renderMismatches(evidence)}`
  }

  app.get('/console/routes/:scope', async (context) => {
    const scope = context.req.param('scope')
    const operator = context.get('operator')
    const asked = context.req.query()
    const maxAgeS = isRefresh(context) ? refreshMaxAgeS : undefined
    // At once: what several of them read, they share.
    const [explained, { entries }, evidence] = await Promise.all([
      api.read<Explanation>(operator, `/api/routes/${encodeURIComponent(scope)}${toQuery(asked)}`, maxAgeS),
      readAudit(operator, scope),
      isLabel(scope) && renderEvidence(operator, scope, asked.hours || '24', maxAgeS),
    ])
    const { state, sentences } = explained
    return respond.page(context, {
      title: scope === '*' ? 'All routes' : scope,
      section: '/console',
      isLive: true,
      body: html`${isLabel(scope) && html`<p class="row">${renderStage(state)}<span class="muted small">version ${state.version}</span></p>`}
<div class="sides"><div class="panel">${renderSentences(sentences)}${isLabel(scope) && renderSubjectForm(scope, asked)}</div>
${isAllowed(operator, 'change') && renderChangeForms(explained)}</div>
${renderRetirement(explained)}
${evidence}
<h2>Audit</h2>${renderAuditTable(entries)}
<p><a href="/console/audit?${new URLSearchParams({ scope })}">All changes of ${scope}</a></p>`,
    })
  })
  return app
}
