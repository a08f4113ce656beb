import { html } from 'hono/html'
import { formatCount, formatPercent } from '../../model/gate/format-quantity.ts'
import type { Evidence } from '../api-types.ts'

const periods = [
  ['hour', 'last hour'],
  ['day', 'last day'],
  ['week', 'last 7 days'],
] as const

interface SideCounts {
  readonly requests: number
  readonly errors: number
}

const formatErrors = ({ requests, errors }: SideCounts) =>
  requests === 0 ? '–' : formatPercent(errors / requests)

/** How many requests each side has served, and how many of them failed. */
export const renderTraffic = ({ requests }: Evidence) => {
  const rows = periods.flatMap(([id, name]) => {
    const sides = requests[id]
    return sides ? [{ name, ...sides }] : []
  })
  return html`<h2>Traffic</h2><table class="stacked"><thead><tr><th scope="col">Period</th><th scope="col" class="number">Native</th><th scope="col" class="number">Core</th><th scope="col" class="number">Errors of native</th><th scope="col" class="number">Errors of the core</th></tr></thead><tbody>${rows.map(
    ({ name, native, core }) =>
      html`<tr><th scope="row">${name}</th><td class="number" data-name="Native">${formatCount(native.requests)}</td><td class="number" data-name="Core">${formatCount(core.requests)}</td><td class="number" data-name="Errors of native">${formatErrors(native)}</td><td class="number" data-name="Errors of the core">${formatErrors(core)}</td></tr>`,
  )}</tbody></table>`
}
