import { html } from 'hono/html'
import type { Account } from '../api-types.ts'
import { renderTime } from './format-time.ts'
import { renderBadge, renderScopeLink } from './html.ts'

type AccountRoute = Account['routes'][number]

const describeSince = ({ since, isDecidedByLink }: AccountRoute) => {
  if (isDecidedByLink) return 'depends on the link'
  return since === null ? 'since the beginning' : renderTime(since)
}

const renderRow = (route: AccountRoute) => {
  const { label, side, isDecidedByLink, bucket, sentences } = route
  const shown = isDecidedByLink
    ? renderBadge('by link')
    : renderBadge(side ?? 'none', side === 'native' ? 'good' : '')
  return html`<tr><th scope="row">${renderScopeLink(label)}</th><td data-name="Side">${shown}</td><td data-name="Since">${describeSince(route)}</td><td data-name="Position" class="number">${bucket === null ? '–' : `${(bucket / 100).toFixed(2)} %`}</td><td><details><summary>Why</summary>${sentences.map((sentence) => html`<p class="small">${sentence}</p>`)}</details></td></tr>`
}

const countSides = (routes: readonly AccountRoute[]) => ({
  native: routes.filter(({ side, isDecidedByLink }) => !isDecidedByLink && side === 'native').length,
  core: routes.filter(({ side, isDecidedByLink }) => !isDecidedByLink && side === 'core').length,
  byLink: routes.filter(({ isDecidedByLink }) => isDecidedByLink).length,
})

/** Which side serves an account for each route, since when and why. */
export const renderAccountSides = ({ routes }: Account) => {
  const { native, core, byLink } = countSides(routes)
  return html`<ul class="figures"><li><b>${native}</b>routes served by native</li><li><b>${core}</b>by the core</li><li><b>${byLink}</b>depend on a share link</li></ul>
<p class="small muted">Native serves the account where its position in the area is below the percentage of the route.</p>
<table class="stacked"><thead><tr><th scope="col">Route</th><th scope="col">Side</th><th scope="col">Since</th><th scope="col" class="number">Position</th><th scope="col">Why</th></tr></thead><tbody>${routes.map(renderRow)}</tbody></table>`
}
