import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { pageStyle } from '#shared/page-style.ts'
import { formatComparisons } from './parity-comparisons.ts'
import { filterScript, formatFilters } from './parity-filters.ts'
import { countOf, formatBadge, joinLines, kindOf, replaceForbidden } from './parity-parts.ts'
import type { ParityRun } from './parity-run.ts'
import {
  describeOutcome,
  outcomeTexts,
  type ParityReport,
  type RowSummary,
  type SignatureSummary,
  type Summary,
} from './summary.ts'

const parityStyle = `
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 1rem }
.sides h3, .request h3 { margin: .5rem 0 0; font-size: var(--small); color: var(--muted); font-weight: 600 }
.sides pre, .request pre { margin: .25rem 0 .5rem }
.figures > * { flex-basis: max(9rem, 17%) }
mark { background: var(--warn-surface); color: var(--warn); font-weight: 600 }
.filters { position: sticky; top: 0; z-index: 1 }
h2[id], .route, details[id] { scroll-margin-top: 7rem }
.filters label { min-width: 9rem } .filters select { display: block; width: 100%; margin-top: .2rem }
.filters output { color: var(--muted) }
.route > summary, .comparison > summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem }
.route > summary::before, .comparison > summary::before { content: '+'; width: .75rem; color: var(--muted); font-weight: 600 }
.route[open] > summary::before, .comparison[open] > summary::before { content: '\\2212' }
.route { border: 1px solid var(--line); border-radius: var(--radius); margin: .5rem 0 }
.route[open] > summary { border-bottom: 1px solid var(--line) }
.route > .comparison:last-child { border-bottom: 0; border-radius: var(--radius) }
.comparison > .title, summary .title { flex: 1 1 14rem }
.statuses { display: flex; flex-wrap: wrap; gap: .25rem; margin: 0; padding: 0; list-style: none }
[hidden] { display: none !important }
@media (max-width: 48rem) {
  .filters { position: static }
  h2[id], .route, details[id] { scroll-margin-top: .5rem }
  table.stacked td .statuses { justify-content: flex-end }
}
@media print { .filters { display: none } }
`

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const style = pageStyle + parityStyle
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(filterScript)}`

// Leaves out the requests and responses, which the page already shows.
const withoutRecordings = ({ run, ...report }: ParityReport) => ({
  ...report,
  run: {
    ...run,
    requests: [],
    responses: [],
    comparisons: run.comparisons.map(({ recording: _, ...comparison }) => comparison),
  },
})

// Only `<` can end a script element, and JSON allows escaping it.
const embedReport = (report: ParityReport) =>
  `<script type="application/json" id="report">${JSON.stringify(withoutRecordings(report)).replaceAll('<', '\\u003c')}</script>`

const formatElapsed = ({ startedAt, finishedAt }: ParityRun) => {
  const seconds = Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

const formatTime = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`

const formatRun = (run: ParityRun) => html`<dl>
<dt>Native</dt><dd><code>${run.native}</code></dd>
<dt>Core</dt><dd><code>${run.core}</code></dd>
<dt>Commit</dt><dd><code>${run.commit ?? 'unknown'}</code></dd>
<dt>Started</dt><dd><time datetime="${run.startedAt}">${formatTime(run.startedAt)}</time>, took ${formatElapsed(run)}</dd></dl>`

const formatTotals = ({ comparisons, counts, coverage }: Summary) => {
  const classes = Object.entries(counts).map(
    ([name, count]) => html`<li>${name.replaceAll('_', ' ')}<b>${count}</b></li>`,
  )
  return html`<ul class="figures"><li>comparisons<b>${comparisons}</b></li>${classes}
<li>documented statuses seen<b>${coverage.seen} of ${coverage.documented}</b></li></ul>`
}

const kindOfStatus = (documented: boolean, native: number, core: number) => {
  if (native > 0 && core > 0) return documented ? 'good' : 'warn'
  return native + core > 0 ? 'warn' : ''
}

const formatStatus = ({ status, documented, native, core }: RowSummary['coverage'][number]) => {
  const title = `${status}: native ${native}, core ${core}${documented ? '' : ', not documented'}`
  return html`<li class="badge ${kindOfStatus(documented, native, core)}" title="${title}">${status}${documented ? '' : '!'} <span class="hidden">native and core: </span>${native}/${core}</li>`
}

const formatUnseenShapes = ({ unseenShapes }: RowSummary) =>
  unseenShapes.length > 0 &&
  html`<details><summary><small class="muted">${countOf(unseenShapes.length, 'shape')} not compared</small></summary>
<ul>${unseenShapes.map((shape) => html`<li><code>${shape}</code></li>`)}</ul></details>`

const formatRow = (
  row: RowSummary,
) => html`<tr data-label="${row.label}" data-verdict="${row.class ?? ''}" data-status="${row.coverage
  .filter(({ native, core }) => native + core > 0)
  .map(({ status }) => status)
  .join(' ')}">
<th scope="row">${
  row.comparisons > 0
    ? html`<a href="#${row.label}"><code>${row.label}</code></a>`
    : html`<code>${row.label}</code>`
}<br><small class="muted">${row.method} ${row.path}</small></th>
<td data-name="Verdict">${formatBadge(describeOutcome(row))}</td>
<td data-name="Comparisons" class="number">${row.comparisons}</td>
<td data-name="May be promoted">${row.isClean ? 'yes' : 'no'}</td>
<td data-name="Statuses"><ul class="statuses">${row.coverage.map(formatStatus)}</ul>${formatUnseenShapes(row)}</td></tr>`

const formatRoutes = ({
  rows,
}: Summary) => html`<section aria-labelledby="routes"><h2 id="routes">Routes (${rows.length})</h2>
<table class="stacked"><thead><tr><th scope="col">Route</th><th scope="col">Verdict</th>
<th scope="col" class="number">Comparisons</th><th scope="col">May be promoted</th>
<th scope="col">Statuses (native/core)</th></tr></thead>
<tbody>${joinLines(rows.map(formatRow))}</tbody></table></section>`

const formatSide = (name: string, value: string | null) =>
  html`<dt>${name}</dt><dd>${value === null ? html`<i>absent</i>` : html`<code>${value}</code>`}</dd>`

const formatSignature = (
  found: SignatureSummary,
) => html`<details id="${found.signature}" data-label="${found.label}" data-verdict="${found.class}">
<summary>${formatBadge(found.class)} <code>${found.label}</code> ${found.kind} at <code>${found.path}</code>
<small class="muted">${countOf(found.comparisons, 'comparison')}, ${countOf(found.places, 'place')}, blame ${found.blame}</small></summary>
<dl>${formatSide('at', found.example.path)}${formatSide('native', found.example.native)}${formatSide('core', found.example.core)}
<dt>seen in</dt><dd>${found.scenarios.join('; ')}</dd>
${found.reason === null ? '' : html`<dt>reason</dt><dd>${found.reason}</dd>`}
${found.forbidsPromotion ? html`<dt>promotion</dt><dd>forbidden while this is accepted</dd>` : ''}</dl></details>`

const formatSection = (title: string, found: readonly SignatureSummary[]) =>
  found.length > 0 &&
  html`<section><h2>${title} (${found.length})</h2>${joinLines(found.map(formatSignature))}</section>`

const isCoreDeviation = ({ blame }: SignatureSummary) => blame === 'core'

const formatDifferences = ({ signatures }: Summary) =>
  html`${formatSection(
    'Differences',
    signatures.filter((found) => !isCoreDeviation(found)),
  )}
${formatSection('Core deviations from the contract', signatures.filter(isCoreDeviation))}`

const formatWarnings = (warnings: readonly string[]) =>
  warnings.length > 0 &&
  html`<details class="notice warn"><summary><strong>Warnings (${warnings.length})</strong></summary>
<ul>${joinLines(warnings.map((warning) => html`<li>${warning}</li>`))}</ul></details>`

export const formatParityHtml = (report: ParityReport): string => {
  const { run, summary } = report
  const title = capitalize(outcomeTexts[summary.outcome])
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${policy}">
<title>Parity: ${title}</title><style>${raw(style)}</style></head>
<body><header class="top"><div><span class="brand">Parity report</span>
<nav aria-label="Sections"><a href="#routes">Routes</a><a href="#comparisons">Comparisons</a></nav></div></header>
<main><h1>${title}</h1>
<div class="notice ${kindOf(summary.outcome)}">${formatRun(run)}</div>
${formatTotals(summary)}
${formatFilters(run)}
${formatDifferences(summary)}
${formatWarnings(run.warnings)}
${formatRoutes(summary)}
${formatComparisons(report)}</main>`
  return `${replaceForbidden(String(page))}
<script>${filterScript}</script>
${embedReport(report)}
</body></html>
`
}
