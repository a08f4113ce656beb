import { html } from 'hono/html'
import { formatCount, formatDuration } from '#migration/routing/gate/format-quantity.ts'
import type { Evidence } from '../api-types.ts'
import { renderTestChart } from '../charts/test-chart.ts'
import { renderBadge, renderEmpty } from './html.ts'

type Gate = NonNullable<Evidence['gate']>
type Clause = Gate['clauses'][number]

const renderOutcome = ({ holds, waivedBy }: Clause) => {
  if (holds) return renderBadge('holds', 'good')
  return waivedBy === null
    ? renderBadge('does not hold', 'bad')
    : renderBadge(`waived by ${waivedBy}`, 'warn')
}

const renderExpected = ({ holds, expectedMs }: Clause) => {
  if (holds) return ''
  return expectedMs === null ? 'unknown' : `in ${formatDuration(expectedMs)}`
}

const renderClause = (clause: Clause, blockedBy: string | null) =>
  html`<tr${clause.id === blockedBy ? html` class="blocking"` : ''}><th scope="row">${clause.id}</th><td data-name="Outcome">${renderOutcome(clause)}</td><td data-name="Why">${clause.sentence}</td><td data-name="Expected" class="small">${renderExpected(clause)}</td></tr>`

/** The next step of a route, and whether each condition of it holds. */
export const renderClauses = ({ gate }: Evidence) => {
  if (gate === null) return ''
  const { clauses, next } = gate
  return html`<h2>Gate</h2><p>${next.sentence}</p>${
    clauses.length > 0 &&
    html`<table class="stacked clauses"><thead><tr><th scope="col">Clause</th><th scope="col">Outcome</th><th scope="col">Why</th><th scope="col">Expected</th></tr></thead><tbody>${clauses.map((clause) => renderClause(clause, next.blockedBy))}</tbody></table>`
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
