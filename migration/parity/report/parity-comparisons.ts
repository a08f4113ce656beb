import { html } from 'hono/html'
import type { Difference } from '../../diff/verdict.ts'
import { countOf, formatBadge, joinLines, listStatuses, type ReportHtml } from './parity-parts.ts'
import type { Comparison, ParityRun, RecordedRequest, Recording } from './parity-run.ts'
import { describeOutcome, type ParityReport, type RowSummary } from './summary.ts'

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const toVariable = (param: string) => `$${param.replaceAll(/([A-Z])/g, '_$1').toUpperCase()}`

// The shell would expand `$`, backticks and backslashes even inside double quotes.
const escapeQuery = (query: string) => query.replaceAll(/[\s"$`\\#]/g, encodeURIComponent)

const formatPath = (path: string) => {
  const [template = '', ...query] = path.split('?')
  const resource = template.replaceAll(/:(\w+)/g, (_, param: string) => toVariable(param))
  return query.length === 0 ? resource : `${resource}?${escapeQuery(query.join('?'))}`
}

const formatHeader = ([name, value]: readonly [string, string]) =>
  name === 'authorization' ? '-H "Authorization: Bearer $TOKEN"' : `-H ${quote(`${name}: ${value}`)}`

/** Formats a curl command that repeats a request. The base URL, token and path parameters become shell variables. */
export const formatCurl = ({ method, path, headers, body }: RecordedRequest) =>
  [
    'curl -i',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `"$BASE${formatPath(path)}"`,
    ...Object.entries(headers).map(formatHeader),
    ...(body === null ? [] : [`--data-raw ${quote(body)}`]),
  ].join(' ')

const formatMs = (durationMs: number | null | undefined) => (durationMs == null ? '-' : `${durationMs} ms`)

// This header names the side that served the response, so it does not count as a difference.
const isOwnLine = (line: string) => line.startsWith('x-service-core-runtime: ')

const markLines = (text: string, other: string, isEqual: boolean) => {
  if (isEqual) return html`${text}`
  const known = new Set(other.split('\n'))
  const lines = text
    .split('\n')
    .map((line) => (known.has(line) || isOwnLine(line) ? html`${line}` : html`<mark>${line}</mark>`))
  return joinLines(lines)
}

const formatSides = ({ responses }: ParityRun, { native, core }: Recording, isEqual: boolean) => {
  const ours = responses[native.response] ?? ''
  const theirs = responses[core.response] ?? ''
  return html`<div class="sides"><div><h3>Native</h3><pre>${markLines(ours, theirs, isEqual)}</pre></div>
<div><h3>Core</h3><pre>${markLines(theirs, ours, isEqual)}</pre></div></div>`
}

const formatRequest = ({ requests }: ParityRun, recording: Recording) => {
  const request = requests[recording.request]
  if (request === undefined) return ''
  const { method, path, headers, body } = request
  const lines = [
    `${method} ${path}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ['', body]),
  ]
  return html`<div class="request"><h3>Request</h3><pre>${lines.join('\n')}</pre>
<h3>Repeat it</h3><pre>${formatCurl(request)}</pre></div>`
}

const formatDifference = ({ class: name, kind, example, blame, reason }: Difference) =>
  html`<li>${formatBadge(name)} ${kind} at <code>${example.path}</code>: native <code>${example.native ?? 'absent'}</code>,
core <code>${example.core ?? 'absent'}</code>, blame ${blame}${reason === undefined ? '' : html` (${reason})`}</li>`

const formatDifferences = ({ differences }: Comparison) =>
  differences.length > 0 && html`<ul>${joinLines(differences.map(formatDifference))}</ul>`

const formatTimes = ({ recording }: Comparison) =>
  `native ${formatMs(recording?.native.durationMs)}, core ${formatMs(recording?.core.durationMs)}`

const formatOthers = (others: readonly Comparison[]) =>
  others.length > 0 &&
  html`<p class="small">These look the same here:</p>
<ul class="small">${joinLines(
    others.map((one) => html`<li>${one.scenario} <span class="muted">${formatTimes(one)}</span></li>`),
  )}</ul>`

const formatGroup = (run: ParityRun, origin: string, first: Comparison, others: readonly Comparison[]) =>
  html`<details class="comparison" data-label="${first.label}" data-verdict="${first.class}" data-status="${listStatuses(first).join(' ')}" data-count="${1 + others.length}">
<summary>${formatBadge(first.class)} <span>${listStatuses(first).join(' / ')}</span> <span class="title">${first.scenario}</span>
<small class="muted">${others.length > 0 ? `and ${others.length} more, ` : ''}${formatTimes(first)}</small></summary>
${formatDifferences(first)}
${first.recording === undefined ? html`<p class="muted">Nothing was recorded.</p>` : html`${formatRequest(run, first.recording)}${formatSides(run, first.recording, first.class === 'equal')}`}
${formatOthers(others)}
<p class="small muted">${origin}</p></details>`

const keyOf = ({ class: name, native, core, differences, recording, scenario }: Comparison) =>
  JSON.stringify([
    name,
    native,
    core,
    differences,
    recording ? [recording.request, recording.native.response, recording.core.response] : scenario,
  ])

const formatRoute = (run: ParityRun, row: RowSummary, comparisons: readonly Comparison[]): ReportHtml => {
  const { evidenceKey } = run.rows.find(({ label }) => label === row.label) ?? {}
  const origin = `Commit ${run.commit ?? 'unknown'}, evidence key of the native code ${evidenceKey ?? 'unknown'}`
  const groups = [...Map.groupBy(comparisons, keyOf).values()].flatMap(([first, ...others]) =>
    first ? [formatGroup(run, origin, first, others)] : [],
  )
  return html`<details class="route" id="${row.label}" data-route="${row.label}">
<summary>${formatBadge(describeOutcome(row))} <code class="title">${row.label}</code>
<small class="muted"><span data-shown>${comparisons.length}</span> of ${countOf(comparisons.length, 'comparison')}</small></summary>
${joinLines(groups)}</details>`
}

export const formatComparisons = ({ run, summary }: ParityReport) => {
  const byLabel = Map.groupBy(run.comparisons, ({ label }) => label)
  const routes = summary.rows.flatMap((row) => {
    const comparisons = byLabel.get(row.label)
    return comparisons === undefined ? [] : [formatRoute(run, row, comparisons)]
  })
  return html`<section aria-labelledby="comparisons"><h2 id="comparisons">Comparisons (${run.comparisons.length})</h2>
<p class="muted">Each comparison shows the request and what both sides returned. Ids, times, tokens, addresses and parameter values are
replaced by their names. Other text is replaced by a hash, the same for the same text in this run. Long lists end after five
elements, and comparisons that look the same appear once. In the curl commands, <code>$TOKEN</code> is your token and
<code>$BASE</code> a gateway’s address.</p>
${joinLines(routes)}</section>`
}
