import { html } from 'hono/html'
import { formatCount, formatDuration } from '../../model/gate/format-quantity.ts'
import type { Evidence } from '../api-types.ts'
import { renderTestChart } from '../charts/test-chart.ts'
import { renderBadge, renderEmpty } from './html.ts'

type Gate = NonNullable<Evidence['gate']>
type Check = Gate['checks'][number]

const renderOutcome = ({ isMet, waivedBy }: Check) => {
  if (isMet) return renderBadge('met', 'good')
  return waivedBy === null ? renderBadge('not met', 'bad') : renderBadge(`waived by ${waivedBy}`, 'warn')
}

const renderExpected = ({ isMet, expectedMs }: Check) => {
  if (isMet) return ''
  return expectedMs === null ? 'unknown' : `in ${formatDuration(expectedMs)}`
}

const renderCheck = (check: Check, blockedBy: string | null) =>
  html`<tr${check.id === blockedBy ? html` class="blocking"` : ''}><th scope="row">${check.id}</th><td data-name="Outcome">${renderOutcome(check)}</td><td data-name="Why">${check.sentence}</td><td data-name="Expected" class="small">${renderExpected(check)}</td></tr>`

/** The next step of a route, and whether each check of it is met. */
export const renderChecks = ({ gate }: Evidence) => {
  if (gate === null) return ''
  const { checks, next } = gate
  return html`<h2>Gate</h2><p>${next.sentence}</p>${
    checks.length > 0 &&
    html`<table class="stacked checks"><thead><tr><th scope="col">Check</th><th scope="col">Outcome</th><th scope="col">Why</th><th scope="col">Expected</th></tr></thead><tbody>${checks.map((check) => renderCheck(check, next.blockedBy))}</tbody></table>`
  }`
}

/** What comparisons of the code that runs have found, and how far its sequential test is. */
export const renderComparisons = ({ comparisons, gate }: Evidence) => {
  if (gate === null) return ''
  if (comparisons === null)
    return html`<h2>Comparisons</h2>${renderEmpty('No responses of this code have been compared yet.', 'Live responses of reads are compared while the route is in shadow or later, and has traffic.')}`
  const { comparisons: count, regressions, transients, critical, drops, copies, accounts, test } = comparisons
  return html`<h2>Comparisons</h2><div class="panel">${renderTestChart({ ...test, comparisons: count, regressions })}
<ul class="figures"><li><b>${formatCount(count)}</b>independent comparisons</li><li><b>${formatCount(regressions)}</b>with a regression</li><li><b>${formatCount(critical)}</b>with a leak</li><li><b>${formatCount(transients)}</b>transient differences</li><li><b>${formatCount(accounts)}</b>accounts or links</li><li><b>${formatCount(drops)}/${formatCount(copies)}</b>copies dropped</li></ul></div>`
}
