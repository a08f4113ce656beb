import { html } from 'hono/html'
import { formatPercent } from '../../model/gate/format-quantity.ts'
import type { AuditEntries, History, RouteHistory } from '../api-types.ts'
import { renderSideChart } from '../charts/side-chart.ts'
import { type Mark, renderTimeChart } from '../charts/time-chart.ts'
import { renderEmpty } from './html.ts'

type Interval = RouteHistory['intervals'][number]
type Side = Interval['native']

const formatMs = (ms: number) =>
  ms >= 1000 ? `${Number((ms / 1000).toPrecision(2))} s` : `${Number(ms.toPrecision(2))} ms`

const errorRateOf = ({ requests, errors }: Side) => (requests === 0 ? null : errors / requests)

const charts: readonly {
  readonly title: string
  readonly format: (value: number) => string
  readonly measure: (side: Side) => number | null
  readonly leastMax: number
}[] = [
  { title: 'Median duration', format: formatMs, measure: ({ p50Ms }) => p50Ms, leastMax: 10 },
  { title: '95th percentile', format: formatMs, measure: ({ p95Ms }) => p95Ms, leastMax: 10 },
  { title: 'Errors', format: formatPercent, measure: errorRateOf, leastMax: 0.05 },
]

const hasRequests = ({ native, core }: History['intervals'][number] | Interval) =>
  native.requests + core.requests > 0

/** Shows links that select how far back the charts go. */
const renderPeriods = (
  path: string,
  name: string,
  periods: readonly (readonly [number, string])[],
  selected: number,
) =>
  html`<nav class="periods small" aria-label="Period">${periods.map(
    ([value, text]) =>
      html`<a href="${path}?${name}=${value}"${value === selected ? html` aria-current="true"` : ''}>${text}</a> `,
  )}</nav>`

const markKinds: Readonly<Record<string, Mark['kind']>> = {
  shadow: 'step',
  ramp: 'step',
  resume: 'step',
  retire: 'step',
  kill: 'stop',
  rollback: 'stop',
}

/** Shows how long each side takes, and how often it fails. */
export const renderRouteCharts = (
  { intervals, intervalS, hours }: RouteHistory,
  path: string,
  entries: AuditEntries['entries'],
) => {
  const marks = entries.flatMap(({ action, at, reason }) => {
    const kind = markKinds[action]
    return kind === undefined ? [] : [{ kind, at, text: `${action}: ${reason}` }]
  })
  const starts = intervals.map(({ start }) => start)
  const periods = [
    [6, '6 hours'],
    [24, '1 day'],
    [168, '7 days'],
  ] as const
  return html`<div class="row between heading"><h2>Native and core</h2>${renderPeriods(path, 'hours', periods, hours)}</div>${
    intervals.some(hasRequests)
      ? html`<div class="plots">${charts.map(({ title, format, measure, leastMax }) =>
          renderTimeChart({
            title,
            format,
            leastMax,
            starts,
            intervalS,
            marks,
            series: [
              { name: 'native', css: 'native', values: intervals.map(({ native }) => measure(native)) },
              { name: 'core', css: 'core', values: intervals.map(({ core }) => measure(core)) },
            ],
          }),
        )}</div>${marks.length > 0 && html`<p class="row small muted marks"><span class="step">a step</span><span class="stop">a stop or rollback</span></p>`}`
      : renderEmpty('No requests in this period.', 'The charts begin with the first one.')
  }`
}

/** Returns the percentage of a period's requests that native served; null if there were none. */
export const findNativeShare = ({ intervals }: History): number | null => {
  const native = intervals.reduce((sum, each) => sum + each.native.requests, 0)
  const all = intervals.reduce((sum, each) => sum + each.core.requests, native)
  return all === 0 ? null : native / all
}

/** Shows how many of all requests each side served over time. */
export const renderNativeChart = (history: History) => {
  const periods = [
    [1, '1 day'],
    [7, '7 days'],
    [30, '30 days'],
    [90, '90 days'],
  ] as const
  return html`<div class="row end">${renderPeriods('/console', 'days', periods, history.days)}</div>${
    history.intervals.some(hasRequests)
      ? html`<div class="plots">${renderSideChart(history)}</div>`
      : renderEmpty('No requests in this period.', 'The chart begins with the first one.')
  }`
}
