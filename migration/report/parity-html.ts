import { escapeMarkup } from './markup.ts'
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

const badge = (name: string) =>
  `<span class="badge ${escapeMarkup(name)}">${escapeMarkup(name.replaceAll('_', ' '))}</span>`

const totals = ({ comparisons, counts, coverage }: Summary) => {
  const classes = Object.entries(counts).map(([name, count]) => `<li>${badge(name)} <b>${count}</b></li>`)
  return `<ul class="totals"><li>comparisons <b>${comparisons}</b></li>${classes.join('')}
<li>documented statuses seen <b>${coverage.seen}</b> of <b>${coverage.documented}</b></li></ul>`
}

const grid = ({ coverage }: RowSummary) =>
  coverage
    .map(({ status, documented, native, core }) => {
      const state = native > 0 && core > 0 ? 'seen' : native + core > 0 ? 'half' : 'unseen'
      const title = `${status}: native ${native}, core ${core}${documented ? '' : ', not documented'}`
      return `<span class="status ${state}" title="${title}">${status}${documented ? '' : '!'} <small>${native}/${core}</small></span>`
    })
    .join(' ')

const row = (summary: RowSummary) => `<tr>
<th scope="row"><code>${escapeMarkup(summary.label)}</code><br><small>${escapeMarkup(summary.method)} ${escapeMarkup(summary.path)}</small></th>
<td data-name="class">${badge(describeOutcome(summary))}</td>
<td data-name="comparisons">${summary.comparisons}</td>
<td data-name="may be promoted">${summary.isClean ? 'yes' : 'no'}</td>
<td data-name="statuses native/core">${grid(summary)}</td></tr>`

const rows = (summary: Summary) => `<table><thead><tr><th>route</th><th>class</th><th>comparisons</th>
<th>may be promoted</th><th>statuses native/core</th></tr></thead>
<tbody>${summary.rows.map(row).join('\n')}</tbody></table>`

const side = (name: string, value: string | null) =>
  `<dt>${name}</dt><dd>${value === null ? '<i>nothing</i>' : `<code>${escapeMarkup(value)}</code>`}</dd>`

const signature = (found: SignatureSummary) => `<details id="${escapeMarkup(found.signature)}">
<summary>${badge(found.class)} <code>${escapeMarkup(found.label)}</code> ${found.kind} at <code>${escapeMarkup(found.path)}</code>
<small>${found.comparisons} comparisons, ${found.places} places, blame ${found.blame}</small></summary>
<dl>${side('at', found.example.path)}${side('native', found.example.native)}${side('core', found.example.core)}
<dt>seen in</dt><dd>${found.scenarios.map(escapeMarkup).join('; ')}</dd>
${found.reason === null ? '' : `<dt>because</dt><dd>${escapeMarkup(found.reason)}</dd>`}
${found.forbidsPromotion ? '<dt>promotion</dt><dd>forbidden while this is accepted</dd>' : ''}</dl></details>`

const section = (title: string, found: readonly SignatureSummary[]) =>
  found.length === 0 ? '' : `<h2>${title} (${found.length})</h2>${found.map(signature).join('\n')}`

const differences = ({ signatures }: Summary) => {
  const isDrift = ({ blame }: SignatureSummary) => blame === 'core'
  return [
    section(
      'Differences',
      signatures.filter((found) => !isDrift(found)),
    ),
    section('Where the core departs from the contract', signatures.filter(isDrift)),
  ].join('\n')
}

// Within a script only `<` could end it, and JSON has another way to write that.
const embedded = (report: ParityReport) =>
  `<script type="application/json" id="report">${writeParityJson(report).replaceAll('<', '\\u003c')}</script>`

/** A report as one page that needs nothing beside itself; it carries the JSON that all of it follows from. */
export const parityHtml = (report: ParityReport) => {
  const { run, summary } = report
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Parity: ${words[summary.outcome]}</title><style>${style}</style></head>
<body><header class="${summary.outcome}"><h1>${words[summary.outcome]}</h1>
<p>native ${escapeMarkup(run.native)} against core ${escapeMarkup(run.core)},
<time>${escapeMarkup(run.startedAt)}</time> to <time>${escapeMarkup(run.finishedAt)}</time></p></header>
<main>${totals(summary)}
${differences(summary)}
<h2>Routes (${summary.rows.length})</h2>
${rows(summary)}</main>
${embedded(report)}
</body></html>
`
}
