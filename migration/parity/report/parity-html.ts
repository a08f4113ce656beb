import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { pageStyle } from '#shared/page-style.ts'
import { replaceForbidden } from './markup.ts'
import { formatComparisons } from './parity-comparisons.ts'
import { filterScript, formatFilters } from './parity-filters.ts'
import type { ParityReport } from './parity-json.ts'
import { formatDifferences, formatRoutes, formatTotals, formatWarnings } from './parity-overview.ts'
import { kindOf } from './parity-parts.ts'
import type { ParityRun } from './parity-run.ts'
import { parityStyle } from './parity-style.ts'
import type { RowOutcome } from './summary.ts'

const titles: Readonly<Record<RowOutcome, string>> = {
  pass: 'Native and core agree',
  regression: 'Native differs from the core',
  could_not_compare: 'Some comparisons were not possible',
  inconclusive: 'No compared success for at least one route',
}

const style = pageStyle + parityStyle
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(filterScript)}`

// The page shows the requests and responses already.
const withoutRecordings = ({ run, ...report }: ParityReport) => ({
  ...report,
  run: {
    ...run,
    requests: [],
    responses: [],
    comparisons: run.comparisons.map(({ recording: _, ...comparison }) => comparison),
  },
})

// Only `<` can end a script element, and JSON can escape it.
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
<dt>Commit</dt><dd><code>${run.commit ?? 'not known'}</code></dd>
<dt>Started</dt><dd><time datetime="${run.startedAt}">${formatTime(run.startedAt)}</time>, took ${formatDuration(run)}</dd></dl>`

/** Formats a report as one self-contained HTML page that embeds the report as JSON, without the recordings. */
export const formatParityHtml = (report: ParityReport): string => {
  const { run, summary } = report
  const title = titles[summary.outcome]
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${policy}">
<title>Parity: ${title}</title><style>${raw(style)}</style></head>
<body><header class="top"><div><span class="brand">Parity report</span>
<nav aria-label="Sections"><a href="#routes">Routes</a><a href="#comparisons">Comparisons</a></nav></div></header>
<main><h1>${title}</h1>
<div class="notice ${kindOf(summary.outcome)}">${formatRun(run)}</div>
${formatTotals(summary)}
${formatWarnings(run.warnings)}
${formatFilters(run)}
${formatDifferences(summary)}
${formatRoutes(summary)}
${formatComparisons(report)}</main>`
  return `${replaceForbidden(String(page))}
<script>${filterScript}</script>
${embedReport(report)}
</body></html>
`
}
