import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { pageStyle } from '#shared/page-style.ts'
import { formatComparisons } from './parity-comparisons.ts'
import { filterScript, formatFilters } from './parity-filters.ts'
import { formatDifferences, formatRoutes, formatTotals, formatWarnings } from './parity-overview.ts'
import { kindOf, replaceForbidden } from './parity-parts.ts'
import type { ParityRun } from './parity-run.ts'
import { outcomeTexts, type ParityReport } from './summary.ts'

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

const formatDuration = ({ startedAt, finishedAt }: ParityRun) => {
  const seconds = Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

const formatTime = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`

const formatRun = (run: ParityRun) => html`<dl>
<dt>Native</dt><dd><code>${run.native}</code></dd>
<dt>Core</dt><dd><code>${run.core}</code></dd>
<dt>Commit</dt><dd><code>${run.commit ?? 'unknown'}</code></dd>
<dt>Started</dt><dd><time datetime="${run.startedAt}">${formatTime(run.startedAt)}</time>, took ${formatDuration(run)}</dd></dl>`

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
