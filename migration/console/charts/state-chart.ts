import { html } from 'hono/html'
import type { Report } from '../api-types.ts'

type Day = Report['days'][number]

// The SVG is stretched to fit, so its labels are outside it.
const width = 1000
const height = 100

const round = (value: number) => Math.round(value * 10) / 10

const daysOfMonth = (month: string) => {
  const [year, index] = month.split('-').map(Number)
  return new Date(Date.UTC(year ?? 0, index ?? 0, 0)).getUTCDate()
}

/** Returns the lower and upper edge of a state's band on each day, as numbers of routes from the bottom. */
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

/** Draws stacked bands that show how many routes were in each state at the end of each day of a month. */
export const renderStateChart = (report: Report) => {
  const { days, rows, month, summary } = report
  const occurring = summary.states.filter(({ state }) =>
    days.some(({ states }) => states.some((each) => each.state === state && each.rows > 0)),
  )
  const list = occurring.map((each) => `${each.name} ${each.rows}`).join(', ')
  return html`<figure class="plot stack"><figcaption><strong>Routes by state</strong>${occurring.map(
    (each) => html`<span class="key state-${each.state}">${each.name} <b>${each.rows}</b></span>`,
  )}</figcaption>
<div class="axis"><span>${rows}</span><span>0</span></div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="Routes by state at the end of each day. Latest: ${list}"><path class="grid" d="M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}"/>${occurring.map(({ state }) => drawBand(report, state))}</svg>
<div class="span"><span>${month}-01</span><span>${month}-${daysOfMonth(month)}</span></div></figure>`
}
