import { html } from 'hono/html'
import { isLabel } from '#contracts/shared/row.ts'
import { formatCount, formatPercent } from '#shared/format-quantity.ts'
import { formatQuery } from '../../api/format-query.ts'
import { isAllowed } from '../../api/operator-middleware.ts'
import type { Operator } from '../../api/operator-options.ts'
import type {
  AuditEntry,
  Evidence,
  Explanation,
  ListedRoute,
  Mismatch,
  RouteHistory,
  RouteList,
} from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import { type ConsoleTools, isRefresh } from '../respond.ts'
import { renderChangeForms } from '../views/change-forms.ts'
import { renderChecks, renderComparisons } from '../views/evidence-view.ts'
import { renderRouteCharts } from '../views/history-charts.ts'
import {
  type BadgeKind,
  renderBadge,
  renderEmpty,
  renderOutcome,
  renderSentence,
  renderSentences,
  renderTime,
  routePath,
} from '../views/html.ts'
import { isStopped, renderBadges, renderStage } from '../views/route-badges.ts'
import { renderAuditTable } from './audit-page.ts'

const findBlock = (explained: Explanation) =>
  'gate' in explained && explained.gate !== null && explained.gate.action !== 'complete'
    ? explained.gate.sentence
    : null

const renderState = ({ state }: Explanation, route: ListedRoute) =>
  html`<p class="row">${renderStage(route.fixedHere ?? state)}${renderBadges(route)}<span class="muted small end">version ${state.version}</span></p>`

const maxSentence = 200

// A sentence that lists routes may name dozens.
const renderFact = (sentence: string, index: number) => {
  const [, list, items] = (sentence.length > maxSentence && /^(.{1,40}): (.*)$/.exec(sentence)) || []
  return list === undefined
    ? html`<p class="${index === 0 ? 'fact' : ''}">${renderSentence(sentence)}</p>`
    : html`<details id="list-${index}"><summary>${list}</summary><p>${items}</p></details>`
}

const renderOthers = (sentences: readonly string[]) =>
  sentences.length > 0 &&
  html`<details id="why"><summary>Why (${sentences.length} more)</summary>${renderSentences(sentences)}</details>`

const renderStop = (entries: readonly AuditEntry[]) => {
  const stop = entries.find(({ action }) => action === 'rollback')
  return stop && html`<p>Stopped ${renderTime(stop.at)}: ${stop.reason}.</p>`
}

const renderRouteHeader = (
  explained: Explanation,
  route: ListedRoute | undefined,
  {
    entries,
    mayChange,
    isAsked,
  }: { readonly entries: readonly AuditEntry[]; readonly mayChange: boolean; readonly isAsked: boolean },
) => {
  const { sentences, state } = explained
  const block = findBlock(explained)
  // For an account, a link or an area, every sentence is shown.
  const shown = isAsked || !isLabel(state.scope) ? sentences.length : 1
  const others = sentences.slice(shown).filter((sentence) => sentence !== block)
  return html`<section class="panel decide" aria-label="State">${route?.isTwoSided && renderState(explained, route)}
${sentences.slice(0, shown).map(renderFact)}
${route && isStopped(route) && renderStop(entries)}${block !== null && shown === 1 && html`<p>${block}</p>`}
${mayChange && renderChangeForms(explained, route)}
${renderOthers(others)}</section>`
}

const periods = [
  ['hour', 'last hour'],
  ['day', 'last day'],
  ['week', 'last 7 days'],
] as const

const formatErrors = ({ requests, errors }: NonNullable<Evidence['requests'][string]>['native']) =>
  requests === 0 ? '–' : formatPercent(errors / requests)

const renderTraffic = ({ requests }: Evidence) => {
  const rows = periods.flatMap(([id, name]) => {
    const sides = requests[id]
    return sides ? [{ name, ...sides }] : []
  })
  return html`<h2>Traffic</h2><table class="compact"><thead><tr><th scope="col">Period</th><th scope="col" class="number">Native</th><th scope="col" class="number">Core</th><th scope="col" class="number">Native errors</th><th scope="col" class="number">Core errors</th></tr></thead><tbody>${rows.map(
    ({ name, native, core }) =>
      html`<tr><th scope="row">${name}</th><td class="number">${formatCount(native.requests)}</td><td class="number">${formatCount(core.requests)}</td><td class="number">${formatErrors(native)}</td><td class="number">${formatErrors(core)}</td></tr>`,
  )}</tbody></table>`
}

const kinds: Readonly<Record<string, BadgeKind>> = { critical: 'bad', regression: 'bad', transient: 'warn' }

const renderRow = (label: string, found: Mismatch) =>
  html`<tr><th scope="row"><a href="${routePath(label, `/mismatches/${found.signature}`)}"><code>${found.signature}</code></a></th><td data-name="Class">${renderBadge(found.class, kinds[found.class])}</td><td data-name="Where">${found.kind} at <code>${found.path}</code></td><td data-name="Native"><code>${found.exampleNative ?? 'nothing'}</code></td><td data-name="Core"><code>${found.exampleCore ?? 'nothing'}</code></td><td data-name="Found" class="number">${formatCount(found.count)}</td><td data-name="Last" class="small">${renderTime(found.lastAt)}</td></tr>`

const maxShown = 50

const renderMismatches = ({ label, mismatches, gate }: Evidence) => {
  if (gate === null) return ''
  if (mismatches.length === 0)
    return html`<h2>Differences</h2>${renderEmpty('No differences in the last 7 days.', 'They appear here with masked values.')}`
  const shown = mismatches.slice(0, maxShown)
  return html`<h2>Differences</h2><table class="stacked"><thead><tr><th scope="col">Signature</th><th scope="col">Class</th><th scope="col">Where</th><th scope="col">Native</th><th scope="col">Core</th><th scope="col" class="number">Found</th><th scope="col">Last</th></tr></thead><tbody>${shown.map((found) => renderRow(label, found))}</tbody></table>${mismatches.length > maxShown && html`<p class="muted">${formatCount(mismatches.length - maxShown)} more.</p>`}`
}

const renderRetirement = (explained: Explanation) => {
  const conditions = 'retirement' in explained ? explained.retirement : null
  if (!conditions) return ''
  return html`<h2>Retirement</h2><p>The core is no longer needed once all of these are met. Nobody can waive them.</p>
<table class="stacked"><thead><tr><th scope="col">Condition</th><th scope="col">Outcome</th></tr></thead><tbody>${conditions.map(
    ({ isMet, sentence }) =>
      html`<tr><td data-name="Condition">${sentence}</td><td data-name="Outcome">${renderOutcome(isMet)}</td></tr>`,
  )}</tbody></table>`
}

const auditEntries = 10
// A refresh accepts evidence up to this age, because reading it is most of a refresh's cost.
const refreshMaxAgeS = 15

const renderSubjectForm = (scope: string, { account = '', link = '' }: Record<string, string>) =>
  html`<form class="row subject" id="subject" method="get" action="${routePath(scope)}"><label>Account<input name="account" value="${account}" placeholder="acct_…" maxlength="128"></label><label>or a share link’s slug or token<input name="link" value="${link}" maxlength="200"></label><button>Explain</button></form>`

export const mountRoutePage = (app: ConsoleApp, { api, respond }: ConsoleTools): void => {
  const readAudit = (operator: Operator, scope: string) =>
    api.read<{ entries: readonly AuditEntry[] }>(
      operator,
      `/api/audit${formatQuery({ scope, limit: auditEntries })}`,
    )

  const renderEvidence = async (
    operator: Operator,
    label: string,
    { hours, maxAgeS }: { readonly hours: string | undefined; readonly maxAgeS: number | undefined },
  ) => {
    const [evidence, history] = await Promise.all([
      api.read<Evidence>(operator, `/api/routes/${label}/evidence`, maxAgeS),
      api.read<RouteHistory>(operator, `/api/routes/${label}/history${formatQuery({ hours })}`),
    ])
    return html`${renderChecks(evidence)}${renderComparisons(evidence)}${renderRouteCharts(history, routePath(label))}${renderTraffic(evidence)}${renderMismatches(evidence)}`
  }

  app.get('/console/routes/:scope', async (context) => {
    const scope = context.req.param('scope')
    const operator = context.get('operator')
    const asked = context.req.query()
    const { account, link } = asked
    const maxAgeS = isRefresh(context) ? refreshMaxAgeS : undefined
    const [explained, list, { entries }] = await Promise.all([
      api.read<Explanation>(
        operator,
        `/api/routes/${encodeURIComponent(scope)}${formatQuery({ account, link })}`,
        maxAgeS,
      ),
      api.read<RouteList>(operator, '/api/routes'),
      readAudit(operator, scope),
    ])
    const evidence =
      isLabel(scope) && (await renderEvidence(operator, scope, { hours: asked.hours, maxAgeS }))
    return respond.page(context, {
      title: scope === '*' ? 'All routes' : scope,
      section: '/console',
      isLive: true,
      body: html`${renderRouteHeader(
        explained,
        list.routes.find(({ label }) => label === scope),
        { entries, mayChange: isAllowed(operator, 'change'), isAsked: Boolean(account || link) },
      )}
${renderRetirement(explained)}
${evidence}
${isLabel(scope) && html`<h2>Which side serves an account</h2>${renderSubjectForm(scope, asked)}`}
<h2>Audit</h2>${renderAuditTable(entries)}
<p><a href="/console/audit${formatQuery({ scope })}">All changes to ${scope}</a></p>`,
    })
  })
}
