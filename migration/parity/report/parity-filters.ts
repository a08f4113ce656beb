import { html } from 'hono/html'
import { listStatuses } from './parity-parts.ts'
import type { ParityRun } from './parity-run.ts'

const listAreas = (labels: readonly string[]) => {
  const areas = labels.flatMap((label) => {
    const parts = label.split('.')
    return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('.'))
  })
  return [...new Set(areas)].sort()
}

const formatSelect = (name: string, label: string, values: readonly string[]) =>
  html`<label>${label}<select name="${name}"><option value="">all</option>${values.map(
    (value) => html`<option value="${value}">${value.replaceAll('_', ' ')}</option>`,
  )}</select></label>`

/**
 * Formats the filter form. It stays hidden until its script runs, so without scripts the page simply shows everything.
 */
export const formatFilters = ({ rows, comparisons }: ParityRun) => {
  const statuses = new Set(comparisons.flatMap(listStatuses))
  const verdicts = new Set(comparisons.map((comparison) => comparison.class))
  return html`<form class="panel filters" id="filters" aria-label="Filters" hidden><div class="row">
${formatSelect('area', 'Area', listAreas(rows.map(({ label }) => label)))}
${formatSelect('status', 'Status', [...statuses].sort())}
${formatSelect('verdict', 'Verdict', [...verdicts].sort())}
<button type="reset">Show all</button>
<output class="small" aria-live="polite"></output>
</div></form>`
}

/** The filters' script. The page's Content-Security-Policy contains its hash. */
export const filterScript = `
'use strict'
const form = document.getElementById('filters')
const output = form.querySelector('output')
const filtered = [...document.querySelectorAll('[data-label]')]
const routes = [...document.querySelectorAll('[data-route]')]
const isShown = ({ label, status, verdict }, wanted) =>
  (wanted.area === '' || label.startsWith(wanted.area + '.')) &&
  (wanted.verdict === '' || verdict === wanted.verdict) &&
  (wanted.status === '' || status === undefined || status.split(' ').includes(wanted.status))
const countShown = (parent) =>
  [...parent.querySelectorAll('.comparison:not([hidden])')].reduce((sum, one) => sum + Number(one.dataset.count), 0)
const apply = () => {
  const wanted = Object.fromEntries(new FormData(form))
  for (const element of filtered) element.hidden = !isShown(element.dataset, wanted)
  let shown = 0
  for (const route of routes) {
    const count = countShown(route)
    route.querySelector('[data-shown]').textContent = count
    route.hidden = count === 0
    shown += count
  }
  output.textContent = shown === 1 ? '1 comparison' : shown + ' comparisons'
  const chosen = Object.entries(wanted).filter(([, value]) => value !== '')
  history.replaceState(null, '', chosen.length > 0 ? '#?' + new URLSearchParams(chosen) : location.pathname)
}
const openTarget = () => {
  if (location.hash.startsWith('#?')) return
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target instanceof HTMLDetailsElement) target.open = true
}
if (location.hash.startsWith('#?'))
  for (const [name, value] of new URLSearchParams(location.hash.slice(2)))
    if (form.elements[name]) form.elements[name].value = value
form.hidden = false
form.addEventListener('change', apply)
form.addEventListener('reset', () => setTimeout(apply))
form.addEventListener('submit', (event) => event.preventDefault())
window.addEventListener('hashchange', openTarget)
const hash = location.hash
if (hash.startsWith('#?')) apply()
else openTarget()
`
