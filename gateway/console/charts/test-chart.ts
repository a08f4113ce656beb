import { html } from 'hono/html'
import { formatCount, formatCountOf } from '#migration/routing/gate/format-quantity.ts'

interface TestProgress {
  /** From -1, where the code has failed, to 1, where it has passed. */
  readonly progress: number
  /** Comparisons without a regression that are missing to pass; null if it has failed. */
  readonly missing: number | null
  readonly hasFailed: boolean
  readonly comparisons: number
  readonly regressions: number
}

const width = 640
const margin = 24
const center = width / 2
const reach = center - margin

const xOf = (progress: number) => center + progress * reach

const describe = ({ hasFailed, missing, comparisons, regressions }: TestProgress) => {
  const found = `${formatCountOf(comparisons, 'comparison')}, ${formatCountOf(regressions, 'regression')}`
  if (hasFailed) return `${found}: this code has failed. Changed code is compared anew.`
  if (missing === 0) return `${found}: enough to pass.`
  return `${found}. ${formatCount(missing ?? 0)} more without a regression are needed to pass.`
}

/** Where the sequential test is between its two bounds: the picture that explains the gate. */
export const renderTestChart = (test: TestProgress) => {
  const x = xOf(test.progress)
  const side = test.progress < 0 ? 'bad' : 'good'
  return html`<figure class="test"><svg class="chart" viewBox="0 0 ${width} 104" role="img" aria-label="${describe(test)}">
<rect class="zone-bad" x="0" y="30" width="${margin}" height="34" rx="4"/><rect class="zone-good" x="${width - margin}" y="30" width="${margin}" height="34" rx="4"/>
<rect class="track" x="${margin}" y="42" width="${2 * reach}" height="10"/>
<rect class="walk-${side}" x="${Math.min(center, x)}" y="42" width="${Math.abs(x - center)}" height="10"/>
<line class="bound" x1="${margin}" x2="${margin}" y1="24" y2="70"/><line class="origin" x1="${center}" x2="${center}" y1="34" y2="60"/><line class="bound" x1="${width - margin}" x2="${width - margin}" y1="24" y2="70"/>
<circle class="marker-${side}" cx="${x}" cy="47" r="9"/>
<text x="0" y="16">fails</text><text x="${center}" y="16" text-anchor="middle">no evidence</text><text x="${width}" y="16" text-anchor="end">passes</text>
<text class="muted" x="0" y="92">← each regression</text><text class="muted" x="${width}" y="92" text-anchor="end">each comparison without one →</text>
</svg><figcaption>${describe(test)}</figcaption></figure>`
}
