import { html } from 'hono/html'
import { formatCount } from '#shared/format-quantity.ts'
import type { Side } from '../../model/routing-view.ts'
import type { History, Report, RouteHistory } from '../api-types.ts'
import type { Html } from './html.ts'

export interface Mark {
  readonly kind: 'step' | 'stop' | 'deploy'
  readonly at: string
  readonly text: string
}

export interface TimeChart {
  readonly title: string
  readonly format: (value: number) => string
  /** Returns null if nothing was measured. */
  readonly measure: (interval: RouteHistory['intervals'][number][Side]) => number | null
  /** The axis ends at the largest value, rounded up, but never below this. */
  readonly leastMax: number
}

const width = 1000
const height = 100

interface Plot {
  readonly css?: 'stack'
  readonly caption: Html
  /** The labels at both ends of the value axis, from top to bottom, and of the time axis. */
  readonly values: readonly [number | string, number | string]
  readonly times: readonly [string, string]
  readonly label: string
}

// The SVG is stretched to fit, so its labels are outside it. Lines keep their width.
const renderPlot = ({ css, caption, values, times, label }: Plot, drawing: Html) =>
  html`<figure class="plot${css && ` ${css}`}"><figcaption>${caption}</figcaption>
<div class="axis"><span>${values[0]}</span><span>${values[1]}</span></div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}"><path class="grid" d="M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}"/>${drawing}</svg>
<div class="span"><span>${times[0]}</span><span>${times[1]}</span></div></figure>`

const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5].find((factor) => factor * power >= value) ?? 10) * power
}

type Values = readonly (number | null)[]

/** A line breaks where nothing was measured. */
const findRuns = (values: Values) => {
  const runs: { readonly index: number; readonly value: number }[][] = []
  values.forEach((value, index) => {
    if (value === null) return
    const last = runs.at(-1)
    if (last?.at(-1)?.index === index - 1) last.push({ index, value })
    else runs.push([{ index, value }])
  })
  return runs
}

const round = (value: number) => Math.round(value * 10) / 10

const drawLine = (side: Side, values: Values, max: number) => {
  const step = width / Math.max(1, values.length)
  const yOf = (value: number) => round(height - (Math.min(value, max) / max) * height)
  return findRuns(values).map((run) => {
    const left = round((run[0]?.index ?? 0) * step)
    const steps = run.map(({ index, value }) => `V${yOf(value)}H${round((index + 1) * step)}`).join('')
    const line = `M${left} ${yOf(run[0]?.value ?? 0)}${steps}`
    return html`<path class="line ${side}" d="${line}"/>`
  })
}

const drawMarks = (marks: readonly Mark[], { intervals, intervalS }: RouteHistory) => {
  const from = Date.parse(intervals[0]?.start ?? '')
  const lengthMs = intervals.length * intervalS * 1000
  return marks.map(({ kind, at, text }) => {
    const x = round(((Date.parse(at) - from) / lengthMs) * width)
    return (
      x >= 0 &&
      x <= width &&
      html`<path class="mark ${kind}" d="M${x} 0V${height}"><title>${text}</title></path>`
    )
  })
}

export const renderTimeChart = (
  { title, format, measure, leastMax }: TimeChart,
  history: RouteHistory,
  marks: readonly Mark[],
  period: string,
) => {
  const lines = (['native', 'core'] as const).map((side) => {
    const values = history.intervals.map((interval) => measure(interval[side]))
    const last = values.findLast((value) => value !== null) ?? null
    return { side, values, last: last === null ? null : format(last) }
  })
  const largest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const max = largest <= leastMax ? leastMax : roundUp(largest)
  return renderPlot(
    {
      caption: html`<strong>${title}</strong><span class="newest">${lines.map(
        ({ side, last }) => html`<span>${side} <b>${last ?? '–'}</b></span>`,
      )}</span>`,
      values: [format(max), format(0)],
      times: [`${period} ago`, 'now'],
      label: `${title}: ${lines.map(({ side, last }) => `${side} ${last ?? 'not measured'}`).join(', ')}`,
    },
    html`${lines.map(({ side, values }) => drawLine(side, values, max))}${drawMarks(marks, history)}`,
  )
}

export const sumRequests = ({ intervals }: History, side: Side) =>
  intervals.reduce((sum, each) => sum + each[side].requests, 0)

export const renderSideChart = (history: History, period: string) => {
  const { intervals } = history
  const [native, core] = [sumRequests(history, 'native'), sumRequests(history, 'core')]
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
  return renderPlot(
    {
      css: 'stack',
      caption: html`<strong>Requests by side</strong><span class="keys"><span class="key state-native">native <b>${formatCount(native)}</b></span><span class="key state-proxy">core <b>${formatCount(core)}</b></span></span>`,
      values: [formatCount(max), 0],
      times: [`${period} ago`, 'now'],
      label: `Requests by side: native ${formatCount(native)}, core ${formatCount(core)}`,
    },
    html`<path class="state-native" d="${bars((each, index) => drawBar(index, 0, each.native.requests))}"/><path class="state-proxy" d="${bars((each, index) => drawBar(index, each.native.requests, each.native.requests + each.core.requests))}"/>`,
  )
}

type Day = Report['days'][number]

const daysOfMonth = (month: string) => {
  const [year, index] = month.split('-').map(Number)
  return new Date(Date.UTC(year ?? 0, index ?? 0, 0)).getUTCDate()
}

const measureBand = (days: readonly Day[], state: string) =>
  days.map(({ states }) => {
    const index = states.findIndex((each) => each.state === state)
    const below = states.slice(0, index).reduce((sum, { rows }) => sum + rows, 0)
    return { below, above: below + (states[index]?.rows ?? 0) }
  })

// Draws each day as a step: along the upper edge and back along the lower one.
const drawBand = ({ days, rows, month }: Report, state: string) => {
  const step = width / daysOfMonth(month)
  const yOf = (count: number) => round(height - (count / rows) * height)
  const band = measureBand(days, state)
  const upper = band.map(({ above }, index) => `V${yOf(above)}H${round((index + 1) * step)}`)
  const lower = band.map(({ below }, index) => `V${yOf(below)}H${round(index * step)}`).toReversed()
  return html`<path class="state-${state}" d="M0 ${height}${upper.join('')}${lower.join('')}Z"/>`
}

export const renderStateChart = (report: Report) => {
  const { days, rows, month, summary } = report
  const occurring = summary.states.filter(({ state }) =>
    days.some(({ states }) => states.some((each) => each.state === state && each.rows > 0)),
  )
  const list = occurring.map((each) => `${each.name} ${each.rows}`).join(', ')
  return renderPlot(
    {
      css: 'stack',
      caption: html`<strong>Routes by state</strong>${occurring.map(
        (each) => html`<span class="key state-${each.state}">${each.name} <b>${each.rows}</b></span>`,
      )}`,
      values: [rows, 0],
      times: [`${month}-01`, `${month}-${daysOfMonth(month)}`],
      label: `Routes by state at the end of each day. Latest: ${list}`,
    },
    html`${occurring.map(({ state }) => drawBand(report, state))}`,
  )
}
