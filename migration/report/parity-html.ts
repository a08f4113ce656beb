import { html, raw } from 'hono/html'
import { replaceForbidden } from './markup.ts'
import type { ParityReport } from './parity-json.ts'
import { formatParityJson } from './parity-json.ts'
import { style } from './parity-style.ts'
import type { SignatureSummary } from './signatures.ts'
import { describeOutcome, type RowOutcome, type RowSummary, type Summary } from './summary.ts'

const titles: Readonly<Record<RowOutcome, string>> = {
  pass: 'Native and core agree',
  regression: 'Native differs from the core',
  could_not_compare: 'Some comparisons were not possible',
  inconclusive: 'No compared success for at least one route',
}

type ReportHtml = ReturnType<typeof html>

const join = (parts: readonly ReportHtml[], separator: string) => raw(parts.join(separator))

const formatBadge = (name: string) => html`<span class="badge ${name}">${name.replaceAll('_', ' ')}</span>`

const formatTotals = ({ comparisons, counts, coverage }: Summary) => {
  const classes = Object.entries(counts).map(
    ([name, count]) => html`<li>${formatBadge(name)} <b>${count}</b></li>`,
  )
  return html`<ul class="totals"><li>comparisons <b>${comparisons}</b></li>${classes}
<li>documented statuses seen <b>${coverage.seen}</b> of <b>${coverage.documented}</b></li></ul>`
}

const formatStatuses = ({ coverage }: RowSummary) =>
  join(
    coverage.map(({ status, documented, native, core }) => {
      const state =
        native > 0 && core > 0 ? 'seen-on-both' : native + core > 0 ? 'seen-on-one' : 'seen-on-none'
      const title = `${status}: native ${native}, core ${core}${documented ? '' : ', not documented'}`
      return html`<span class="status ${state}" title="${title}">${status}${documented ? '' : '!'} <small>${native}/${core}</small></span>`
    }),
    ' ',
  )

const formatRow = (summary: RowSummary) => html`<tr>
<th scope="row"><code>${summary.label}</code><br><small>${summary.method} ${summary.path}</small></th>
<td data-name="class">${formatBadge(describeOutcome(summary))}</td>
<td data-name="comparisons">${summary.comparisons}</td>
<td data-name="may be promoted">${summary.isClean ? 'yes' : 'no'}</td>
<td data-name="statuses native/core">${formatStatuses(summary)}</td></tr>`

const formatRows = (
  summary: Summary,
) => html`<table><thead><tr><th>route</th><th>class</th><th>comparisons</th>
<th>may be promoted</th><th>statuses native/core</th></tr></thead>
<tbody>${join(summary.rows.map(formatRow), '\n')}</tbody></table>`

const formatSide = (name: string, value: string | null) =>
  html`<dt>${name}</dt><dd>${value === null ? html`<i>absent</i>` : html`<code>${value}</code>`}</dd>`

const formatSignature = (found: SignatureSummary) => html`<details id="${found.signature}">
<summary>${formatBadge(found.class)} <code>${found.label}</code> ${found.kind} at <code>${found.path}</code>
<small>${found.comparisons} comparisons, ${found.places} places, blame ${found.blame}</small></summary>
<dl>${formatSide('at', found.example.path)}${formatSide('native', found.example.native)}${formatSide('core', found.example.core)}
<dt>seen in</dt><dd>${found.scenarios.join('; ')}</dd>
${found.reason === null ? '' : html`<dt>reason</dt><dd>${found.reason}</dd>`}
${found.forbidsPromotion ? html`<dt>promotion</dt><dd>forbidden while this is accepted</dd>` : ''}</dl></details>`

const formatSection = (title: string, found: readonly SignatureSummary[]) =>
  found.length === 0
    ? raw('')
    : html`<h2>${title} (${found.length})</h2>${join(found.map(formatSignature), '\n')}`

const formatDifferences = ({ signatures }: Summary) => {
  const isCoreDeviation = ({ blame }: SignatureSummary) => blame === 'core'
  const sections = [
    formatSection(
      'Differences',
      signatures.filter((found) => !isCoreDeviation(found)),
    ),
    formatSection('Core deviations from the contract', signatures.filter(isCoreDeviation)),
  ]
  return join(sections, '\n')
}

const formatWarnings = (warnings: readonly string[]) =>
  warnings.length === 0
    ? raw('')
    : html`<h2>Warnings (${warnings.length})</h2>
<ul>${join(
        warnings.map((warning) => html`<li>${warning}</li>`),
        '\n',
      )}</ul>`

// Only `<` can end a script element, and JSON can escape it.
const embedReport = (report: ParityReport) =>
  `<script type="application/json" id="report">${formatParityJson(report).replaceAll('<', '\\u003c')}</script>`

/** Formats a report as one self-contained HTML page that embeds the report as JSON. */
export const formatParityHtml = (report: ParityReport): string => {
  const { run, summary } = report
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Parity: ${titles[summary.outcome]}</title><style>${raw(style)}</style></head>
<body><header class="${summary.outcome}"><h1>${titles[summary.outcome]}</h1>
<p>native ${run.native} against core ${run.core},
<time>${run.startedAt}</time> to <time>${run.finishedAt}</time></p></header>
<main>${formatTotals(summary)}
${formatWarnings(run.warnings)}
${formatDifferences(summary)}
<h2>Routes (${summary.rows.length})</h2>
${formatRows(summary)}</main>`
  return `${replaceForbidden(String(page))}
${embedReport(report)}
</body></html>
`
}
