import { html } from 'hono/html'
import { formatCount, formatCountOf } from '../../model/gate/format-quantity.ts'

interface TestProgress {
  /** From -1, where the code has failed, to 1, where it has passed. */
  readonly progress: number
  /** Comparisons without a regression that are missing to pass; null if it has failed. */
  readonly missing: number | null
  readonly hasFailed: boolean
  readonly comparisons: number
  readonly regressions: number
}

const width = 1000
const margin = 30
const center = width / 2
const reach = center - margin

const describe = ({ hasFailed, missing, comparisons, regressions }: TestProgress) => {
  const found = `${formatCountOf(comparisons, 'comparison')}, ${formatCountOf(regressions, 'regression')}`
  if (hasFailed) return `${found}: this code has failed. Changed code is compared anew.`
  if (missing === 0) return `${found}: enough to pass.`
  return `${found}. ${formatCount(missing ?? 0)} more without a regression are needed to pass.`
}

/** Where the sequential test is between its two bounds: the picture that explains the gate. */
export const renderTestChart = (test: TestProgress) => {
  const x = Math.round(center + test.progress * reach)
  const side = test.progress < 0 ? 'bad' : 'good'
  return html`<figure class="test"><div class="span"><span>fails</span><span>no evidence</span><span>passes</span></div>
<svg viewBox="0 0 ${width} 40" preserveAspectRatio="none" role="img" aria-label="Sequential test: ${describe(test)}">
<rect class="track" x="0" y="14" width="${width}" height="12"/><rect class="zone-bad" x="0" y="4" width="${margin}" height="32"/><rect class="zone-good" x="${width - margin}" y="4" width="${margin}" height="32"/>
<rect class="walk-${side}" x="${Math.min(center, x)}" y="14" width="${Math.abs(x - center)}" height="12"/>
<path class="bound" d="M${margin} 0V40M${width - margin} 0V40"/><path class="origin" d="M${center} 6V34"/><path class="marker-${side}" d="M${x} 4V36"/>
</svg><div class="span muted"><span>← each regression</span><span>each comparison without one →</span></div><figcaption>${describe(test)}</figcaption></figure>`
}
