import { html, raw } from 'hono/html'
import { replaceUnwritable } from './markup.ts'
import type { ParityReport } from './parity-json.ts'
import { writeParityJson } from './parity-json.ts'
import { style } from './parity-style.ts'
import type { SignatureSummary } from './signatures.ts'
import { describeOutcome, type RowOutcome, type RowSummary, type Summary } from './summary.ts'

const words: Readonly<Record<RowOutcome, string>> = {
  pass: 'Native and core agree',
  regression: 'Native differs from the core',
  could_not_compare: 'Not everything could be compared',
  inconclusive: 'Not every route was compared where it succeeds',
}

type Html = ReturnType<typeof html>

const join = (parts: readonly Html[], separator: string) => raw(parts.join(separator))

const badge = (name: string) => html`<span class="badge ${name}">${name.replaceAll('_', ' ')}</span>`

const totals = ({ comparisons, counts, coverage }: Summary) => {
  const classes = Object.entries(counts).map(([name, count]) => html`<li>${badge(name)} <b>${count}</b></li>`)
  return html`<ul class="totals"><li>comparisons <b>${comparisons}</b></li>${classes}
<li>documented statuses seen <b>${coverage.seen}</b> of <b>${coverage.documented}</b></li></ul>`
}

const grid = ({ coverage }: RowSummary) =>
  join(
    coverage.map(({ status, documented, native, core }) => {
      const state = native > 0 && core > 0 ? 'seen' : native + core > 0 ? 'half' : 'unseen'
      const title = `${status}: native ${native}, core ${core}${documented ? '' : ', not documented'}`
      return html`<span class="status ${state}" title="${title}">${status}${documented ? '' : '!'} <small>${native}/${core}</small></span>`
    }),
    ' ',
  )

const row = (summary: RowSummary) => html`<tr>
<th scope="row"><code>${summary.label}</code><br><small>${summary.method} ${summary.path}</small></th>
<td data-name="class">${badge(describeOutcome(summary))}</td>
<td data-name="comparisons">${summary.comparisons}</td>
<td data-name="may be promoted">${summary.isClean ? 'yes' : 'no'}</td>
<td data-name="statuses native/core">${grid(summary)}</td></tr>`

const rows = (summary: Summary) => html`<table><thead><tr><th>route</th><th>class</th><th>comparisons</th>
<th>may be promoted</th><th>statuses native/core</th></tr></thead>
<tbody>${join(summary.rows.map(row), '\n')}</tbody></table>`

const side = (name: string, value: string | null) =>
  html`<dt>${name}</dt><dd>${value === null ? html`<i>nothing</i>` : html`<code>${value}</code>`}</dd>`

const signature = (found: SignatureSummary) => html`<details id="${found.signature}">
<summary>${badge(found.class)} <code>${found.label}</code> ${found.kind} at <code>${found.path}</code>
<small>${found.comparisons} comparisons, ${found.places} places, blame ${found.blame}</small></summary>
<dl>${side('at', found.example.path)}${side('native', found.example.native)}${side('core', found.example.core)}
<dt>seen in</dt><dd>${found.scenarios.join('; ')}</dd>
${found.reason === null ? '' : html`<dt>because</dt><dd>${found.reason}</dd>`}
${found.forbidsPromotion ? html`<dt>promotion</dt><dd>forbidden while this is accepted</dd>` : ''}</dl></details>`

const section = (title: string, found: readonly SignatureSummary[]) =>
  found.length === 0 ? raw('') : html`<h2>${title} (${found.length})</h2>${join(found.map(signature), '\n')}`

const differences = ({ signatures }: Summary) => {
  const isDrift = ({ blame }: SignatureSummary) => blame === 'core'
  const sections = [
    section(
      'Differences',
      signatures.filter((found) => !isDrift(found)),
    ),
    section('Where the core departs from the contract', signatures.filter(isDrift)),
  ]
  return join(sections, '\n')
}

// Within a script only `<` could end it, and JSON has another way to write that.
const embedded = (report: ParityReport) =>
  `<script type="application/json" id="report">${writeParityJson(report).replaceAll('<', '\\u003c')}</script>`

/** A report as one page that needs nothing beside itself; it carries the JSON that all of it follows from. */
export const parityHtml = (report: ParityReport): string => {
  const { run, summary } = report
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Parity: ${words[summary.outcome]}</title><style>${raw(style)}</style></head>
<body><header class="${summary.outcome}"><h1>${words[summary.outcome]}</h1>
<p>native ${run.native} against core ${run.core},
<time>${run.startedAt}</time> to <time>${run.finishedAt}</time></p></header>
<main>${totals(summary)}
${differences(summary)}
<h2>Routes (${summary.rows.length})</h2>
${rows(summary)}</main>`
  return `${replaceUnwritable(String(page))}
${embedded(report)}
</body></html>
`
}
