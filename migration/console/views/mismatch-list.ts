import { html } from 'hono/html'
import { formatCount } from '../../model/gate/format-quantity.ts'
import type { Evidence } from '../api-types.ts'
import { renderTime } from './format-time.ts'
import { type BadgeKind, renderBadge, renderEmpty, routePath } from './html.ts'

type Mismatch = Evidence['mismatches'][number]

const kinds: Readonly<Record<string, BadgeKind>> = { critical: 'bad', regression: 'bad', transient: 'warn' }

const renderRow = (label: string, found: Mismatch) =>
  html`<tr><th scope="row"><a href="${routePath(label, `/mismatches/${found.signature}`)}"><code>${found.signature}</code></a></th><td data-name="Class">${renderBadge(found.class, kinds[found.class])}</td><td data-name="Where">${found.kind} at <code>${found.path}</code></td><td data-name="Native"><code>${found.exampleNative ?? 'nothing'}</code></td><td data-name="Core"><code>${found.exampleCore ?? 'nothing'}</code></td><td data-name="Found" class="number">${formatCount(found.count)}</td><td data-name="Last" class="small">${renderTime(found.lastAt)}</td></tr>`

const maxShown = 50

/** The differences that comparisons of a route have found, with masked values. */
export const renderMismatches = ({ label, mismatches, gate }: Evidence) => {
  if (gate === null) return ''
  if (mismatches.length === 0)
    return html`<h2>Differences</h2>${renderEmpty('No differences were found in the last 7 days.', 'What is found appears here, with masked values.')}`
  const shown = mismatches.slice(0, maxShown)
  return html`<h2>Differences</h2><table class="stacked"><thead><tr><th scope="col">Signature</th><th scope="col">Class</th><th scope="col">Where</th><th scope="col">Native</th><th scope="col">Core</th><th scope="col" class="number">Found</th><th scope="col">Last</th></tr></thead><tbody>${shown.map((found) => renderRow(label, found))}</tbody></table>${mismatches.length > maxShown && html`<p class="muted">${formatCount(mismatches.length - maxShown)} more.</p>`}`
}
