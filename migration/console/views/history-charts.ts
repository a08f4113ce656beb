import { html } from 'hono/html'
import { formatCountOf, formatPercent } from '#shared/format-quantity.ts'
import type { History, RouteHistory } from '../api-types.ts'
import { type Mark, renderSideChart, renderTimeChart, type TimeChart } from './charts.ts'
import { renderEmpty, renderSentence, renderTime } from './html.ts'

type Interval = RouteHistory['intervals'][number]

const formatMs = (ms: number) =>
  ms >= 1000 ? `${Number((ms / 1000).toPrecision(2))} s` : `${Number(ms.toPrecision(2))} ms`

const errorRateOf = ({ requests, errors }: Interval['native']) => (requests === 0 ? null : errors / requests)

const charts: readonly TimeChart[] = [
  { title: 'Median duration', format: formatMs, measure: ({ p50Ms }) => p50Ms, leastMax: 10 },
  { title: '95th percentile', format: formatMs, measure: ({ p95Ms }) => p95Ms, leastMax: 10 },
  { title: 'Errors', format: formatPercent, measure: errorRateOf, leastMax: 0.05 },
]

const hasRequests = ({ native, core }: History['intervals'][number] | Interval) =>
  native.requests + core.requests > 0

const formatPeriod = (hours: number) =>
  hours % 24 === 0 ? formatCountOf(hours / 24, 'day') : formatCountOf(hours, 'hour')

const renderPeriods = (path: string, name: 'hours' | 'days', values: readonly number[], selected: number) =>
  html`<nav class="periods small" aria-label="Period">${values.map(
    (value) =>
      html`<a href="${path}?${name}=${value}"${value === selected ? html` aria-current="true"` : ''}>${formatPeriod(name === 'days' ? value * 24 : value)}</a> `,
  )}</nav>`

const stops: readonly string[] = ['kill', 'rollback', 'restore']

const listMarks = ({ moves, deploys }: RouteHistory): readonly Mark[] =>
  [
    ...moves.map(({ at, who, scope, action, reason }) => ({
      kind: stops.includes(action) ? ('stop' as const) : ('step' as const),
      at,
      text: `${action} ${scope} by ${who}: ${reason}`,
    })),
    ...deploys.map(({ at, evidenceKey }) => ({
      kind: 'deploy' as const,
      at,
      text: `new code first seen: ${evidenceKey}`,
    })),
  ].sort((left, right) => right.at.localeCompare(left.at))

const markNames: Readonly<Record<Mark['kind'], string>> = {
  step: 'step',
  stop: 'stop or kill',
  deploy: 'deploy',
}

const renderLegend = (marks: readonly Mark[]) =>
  html`<p class="keys small muted"><span class="key native">native</span><span class="key core">core</span>${Object.entries(
    markNames,
  )
    .filter(([kind]) => marks.some((mark) => mark.kind === kind))
    .map(([kind, name]) => html`<span class="key mark ${kind}">${name}</span>`)}</p>`

const renderMarks = (marks: readonly Mark[]) =>
  marks.length > 0 &&
  html`<details id="marks"><summary>Events on the charts (${marks.length})</summary><ul class="marks">${marks.map(
    ({ kind, at, text }) =>
      html`<li><span class="key mark ${kind}"></span>${renderTime(at)} ${renderSentence(text)}</li>`,
  )}</ul></details>`

const routePeriods = [6, 24, 168]

export const renderRouteCharts = (history: RouteHistory, path: string) => {
  const { intervals, hours } = history
  const marks = listMarks(history)
  return html`<div class="row between heading"><h2>Native and core</h2>${renderPeriods(path, 'hours', routePeriods, hours)}</div>${
    intervals.some(hasRequests)
      ? html`${renderLegend(marks)}<div class="plots">${charts.map((chart) => renderTimeChart(chart, history, marks, formatPeriod(hours)))}</div>`
      : renderEmpty('No requests in this period.', 'The charts appear after the first request.')
  }${renderMarks(marks)}`
}

const migrationPeriods = [1, 7, 30, 90]

export const renderNativeChart = (history: History) =>
  html`<div class="row end">${renderPeriods('/console', 'days', migrationPeriods, history.days)}</div>${
    history.intervals.some(hasRequests)
      ? html`<div class="plots">${renderSideChart(history, formatPeriod(history.days * 24))}</div>`
      : renderEmpty('No requests in this period.', 'The chart appears after the first request.')
  }`
