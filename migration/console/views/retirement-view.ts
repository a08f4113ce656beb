import { html } from 'hono/html'
import type { Explanation } from '../api-types.ts'
import { renderBadge } from './html.ts'

/** The conditions under which the core is no longer needed for a route; nothing where that is not the next step. */
export const renderRetirement = (explained: Explanation) => {
  const conditions = 'retirement' in explained ? explained.retirement : null
  if (!conditions) return ''
  return html`<h2>Retirement</h2><p>The core is no longer needed once each of these is met. No person can waive them.</p>
<table class="stacked"><thead><tr><th scope="col">Condition</th><th scope="col">Outcome</th></tr></thead><tbody>${conditions.map(
    ({ isMet, sentence }) =>
      html`<tr><td data-label="Condition">${sentence}</td><td data-label="Outcome">${isMet ? renderBadge('met', 'good') : renderBadge('not met', 'bad')}</td></tr>`,
  )}</tbody></table>`
}
