import { html } from 'hono/html'

export interface Series {
  readonly name: string
  readonly css: 'native' | 'core'
  /** One value per interval; null where nothing was measured. */
  readonly values: readonly (number | null)[]
}

/** An event in a route's history. */
export interface Mark {
  readonly kind: 'step' | 'stop' | 'deploy'
  readonly at: string
  readonly text: string
}

interface TimeChartOptions {
  readonly title: string
  readonly series: readonly Series[]
  /** Start of each interval, oldest first. */
  readonly starts: readonly string[]
  readonly format: (value: number) => string
  /** The axis ends at the largest value, rounded up, but never below this. */
  readonly leastMax: number
  /** Length of each interval, in seconds. */
  readonly intervalS: number
  readonly marks: readonly Mark[]
  /** Length of the time axis, such as `7 days`. */
  readonly period: string
}

// The SVG is stretched to fit, so its labels are outside it. Lines keep their width.
export const chartWidth = 1000
export const chartHeight = 100
const [width, height] = [chartWidth, chartHeight]

/** Rounds up to 1, 2 or 5 times a power of ten. */
export const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5].find((factor) => factor * power >= value) ?? 10) * power
}

/** Groups adjacent points into lines. A line breaks where nothing was measured. */
const findRuns = (values: Series['values']) => {
  const runs: { readonly index: number; readonly value: number }[][] = []
  values.forEach((value, index) => {
    if (value === null) return
    const last = runs.at(-1)
    if (last?.at(-1)?.index === index - 1) last.push({ index, value })
    else runs.push([{ index, value }])
  })
  return runs
}

/** Rounds to a tenth of a unit: the picture is 1,000 units wide. */
export const roundChartValue = (value: number) => Math.round(value * 10) / 10
const round = roundChartValue

// Draws each interval as a step.
const drawSeries = ({ values, css }: Series, max: number) => {
  const step = width / Math.max(1, values.length)
  const yOf = (value: number) => round(height - (Math.min(value, max) / max) * height)
  return findRuns(values).map((run) => {
    const left = round((run[0]?.index ?? 0) * step)
    const steps = run.map(({ index, value }) => `V${yOf(value)}H${round((index + 1) * step)}`).join('')
    const line = `M${left} ${yOf(run[0]?.value ?? 0)}${steps}`
    return html`<path class="line ${css}" d="${line}"/>`
  })
}

const drawMarks = ({ marks, starts, intervalS }: TimeChartOptions) => {
  const from = Date.parse(starts[0] ?? '')
  const lengthMs = starts.length * intervalS * 1000
  return marks.map(({ kind, at, text }) => {
    const x = round(((Date.parse(at) - from) / lengthMs) * width)
    return (
      x >= 0 &&
      x <= width &&
      html`<path class="mark ${kind}" d="M${x} 0V${height}"><title>${text}</title></path>`
    )
  })
}

const findLast = (values: Series['values']) => values.findLast((value) => value !== null) ?? null

const describeSeries = ({ series, format }: TimeChartOptions) =>
  series
    .map(({ name, values }) => {
      const last = findLast(values)
      return `${name} ${last === null ? 'not measured' : format(last)}`
    })
    .join(', ')

const renderNewest = ({ series, format }: TimeChartOptions) =>
  series.map(({ name, values }) => {
    const last = findLast(values)
    return html`<span>${name} <b>${last === null ? '–' : format(last)}</b></span>`
  })

/** Labels both ends of the time axis. */
export const renderSpan = (period: string) =>
  html`<div class="span"><span>${period} ago</span><span>now</span></div>`

/** Draws values over time, with the newest ones beside the title. */
export const renderTimeChart = (options: TimeChartOptions) => {
  const { title, series, format, period } = options
  const largest = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const max = largest <= options.leastMax ? options.leastMax : roundUp(largest)
  return html`<figure class="plot"><figcaption><strong>${title}</strong><span class="newest">${renderNewest(options)}</span></figcaption>
<div class="axis"><span>${format(max)}</span><span>${format(0)}</span></div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${title}: ${describeSeries(options)}"><path class="grid" d="M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}"/>${series.map((each) => drawSeries(each, max))}${drawMarks(options)}</svg>
${renderSpan(period)}</figure>`
}
