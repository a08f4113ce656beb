import { html } from 'hono/html'
import { countOf, formatBadge, joinLines } from './parity-parts.ts'
import { describeOutcome, type RowSummary, type SignatureSummary, type Summary } from './summary.ts'

export const formatTotals = ({ comparisons, counts, coverage }: Summary) => {
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

export const formatRoutes = ({
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

export const formatDifferences = ({ signatures }: Summary) =>
  html`${formatSection(
    'Differences',
    signatures.filter((found) => !isCoreDeviation(found)),
  )}
${formatSection('Core deviations from the contract', signatures.filter(isCoreDeviation))}`

export const formatWarnings = (warnings: readonly string[]) =>
  warnings.length > 0 &&
  html`<details class="notice warn"><summary><strong>Warnings (${warnings.length})</strong></summary>
<ul>${joinLines(warnings.map((warning) => html`<li>${warning}</li>`))}</ul></details>`
