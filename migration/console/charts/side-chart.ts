import { html } from 'hono/html'
import { formatCount } from '../../model/gate/format-quantity.ts'
import type { History } from '../api-types.ts'
import {
  chartHeight as height,
  renderSpan,
  roundChartValue as round,
  roundUp,
  chartWidth as width,
} from './time-chart.ts'

const sumOf = (intervals: History['intervals'], side: 'native' | 'core') =>
  intervals.reduce((sum, each) => sum + each[side].requests, 0)

/** Draws each side's requests per interval: native below, the core on top. */
export const renderSideChart = ({ intervals }: History, period: string) => {
  const [native, core] = [sumOf(intervals, 'native'), sumOf(intervals, 'core')]
  const max = roundUp(Math.max(1, ...intervals.map((each) => each.native.requests + each.core.requests)))
  const step = width / Math.max(1, intervals.length)
  const drawBar = (index: number, from: number, to: number) => {
    if (to === from) return ''
    const [left, right] = [round((index + 0.1) * step), round((index + 0.9) * step)]
    const [bottom, top] = [from, to].map((count) => round(height - (count / max) * height))
    return `M${left} ${bottom}V${top}H${right}V${bottom}Z`
  }
  const bars = (draw: (each: History['intervals'][number], index: number) => string) =>
    intervals.map(draw).join('')
  return html`<figure class="plot stack"><figcaption><strong>Requests by side</strong><span class="keys"><span class="key state-native">native <b>${formatCount(native)}</b></span><span class="key state-proxy">core <b>${formatCount(core)}</b></span></span></figcaption>
<div class="axis"><span>${formatCount(max)}</span><span>0</span></div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="Requests by side: native ${formatCount(native)}, core ${formatCount(core)}"><path class="grid" d="M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}"/><path class="state-native" d="${bars((each, index) => drawBar(index, 0, each.native.requests))}"/><path class="state-proxy" d="${bars((each, index) => drawBar(index, each.native.requests, each.native.requests + each.core.requests))}"/></svg>
${renderSpan(period)}</figure>`
}
