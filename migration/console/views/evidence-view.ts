import { html } from 'hono/html'
import { formatCount, formatCountOf, formatDuration } from '#shared/format-quantity.ts'
import type { Evidence } from '../api-types.ts'
import { renderEmpty, renderOutcome } from './html.ts'

type Comparisons = NonNullable<Evidence['comparisons']>

/** `progress` goes from -1 (the code failed) to 1 (it passed). */
type TestProgress = Comparisons['test'] & Pick<Comparisons, 'comparisons' | 'regressions'>

const width = 1000
const margin = 30
const center = width / 2
const reach = center - margin

const describe = ({ hasFailed, missing, comparisons, regressions }: TestProgress) => {
  const found = `${formatCountOf(comparisons, 'comparison')}, ${formatCountOf(regressions, 'regression')}`
  if (hasFailed) return `${found}: this code has failed. New code starts from zero.`
  if (missing === 0) return `${found}: enough to pass.`
  return `${found}. ${formatCount(missing ?? 0)} more without a regression will pass the test.`
}

const renderTestChart = (test: TestProgress, caption = describe(test)) => {
  const x = Math.round(center + test.progress * reach)
  const side = test.progress < 0 ? 'bad' : 'good'
  return html`<figure class="test"><div class="span"><span>fails</span><span>no evidence</span><span>passes</span></div>
<svg viewBox="0 0 ${width} 40" preserveAspectRatio="none" role="img" aria-label="Sequential test: ${caption}">
<rect class="track" x="0" y="14" width="${width}" height="12"/><rect class="zone-bad" x="0" y="4" width="${margin}" height="32"/><rect class="zone-good" x="${width - margin}" y="4" width="${margin}" height="32"/>
<rect class="walk-${side}" x="${Math.min(center, x)}" y="14" width="${Math.abs(x - center)}" height="12"/>
<path class="bound" d="M${margin} 0V40M${width - margin} 0V40"/><path class="origin" d="M${center} 6V34"/><path class="marker-${side}" d="M${x} 4V36"/>
</svg><div class="span muted"><span>← each regression</span><span>each comparison without one →</span></div></figure><p>${caption}</p>`
}

type Gate = NonNullable<Evidence['gate']>
type Check = Gate['checks'][number]

const renderExpected = ({ isMet, expectedMs }: Check) => {
  if (isMet) return ''
  return expectedMs === null ? 'no estimate yet' : `in ${formatDuration(expectedMs)}`
}

const renderCheck = (check: Check, blockedBy: string | null) =>
  html`<li class="${check.id === blockedBy ? 'blocking' : ''}"><strong>${check.id}</strong>${renderOutcome(check.isMet)}<span>${check.sentence}</span><span class="small muted">${renderExpected(check)}</span></li>`

const renderList = (checks: readonly Check[], blockedBy: string | null) =>
  checks.length > 0 && html`<ul class="checks">${checks.map((check) => renderCheck(check, blockedBy))}</ul>`

export const renderChecks = ({ gate }: Evidence) => {
  if (gate === null || gate.checks.length === 0) return ''
  const { checks, next } = gate
  const met = checks.filter(({ isMet }) => isMet)
  return html`<h2>Checks of the next step</h2>${renderList(
    checks.filter(({ isMet }) => !isMet),
    next.blockedBy,
  )}${met.length > 0 && html`<details id="met-checks"><summary>${formatCountOf(met.length, 'check')} met</summary>${renderList(met, null)}</details>`}`
}

export const renderComparisons = ({ comparisons, gate }: Evidence) => {
  if (gate === null) return ''
  if (comparisons === null)
    return html`<h2>Comparisons</h2>${renderEmpty('This code has not been compared yet.', 'Reads are compared once the route is in shadow and has traffic.')}`
  const { comparisons: count, regressions, transients, critical, drops, copies, accounts, test } = comparisons
  // Unlike the chart's default caption, the check's sentence also considers whether the route is quiet.
  const caption = gate.checks.find(({ id }) => id === 'comparisons')?.sentence
  return html`<h2>Comparisons</h2><div class="panel test-panel">${renderTestChart({ ...test, comparisons: count, regressions }, caption)}
<ul class="figures"><li><b>${formatCount(count)}</b>independent comparisons</li><li><b>${formatCount(regressions)}</b>with a regression</li><li><b>${formatCount(critical)}</b>with a leak</li><li><b>${formatCount(transients)}</b>transient differences</li><li><b>${formatCount(accounts)}</b>accounts or links</li><li><b>${formatCount(drops)}/${formatCount(copies)}</b>copies dropped</li></ul></div>`
}
