import { html } from 'hono/html'
import { isLabel, isTwoSided } from '#contracts/shared/row.ts'
import { formatWeight } from '../../model/format-state.ts'
import { maxDrillMinutes } from '../../model/retirement/retire.ts'
import { minDrillMinutes } from '../../model/retirement/retirement-conditions.ts'
import { isRouteScope, isShadowable, labelsIn } from '../../model/route-scope.ts'
import { promotionModes } from '../../model/route-state.ts'
import type { Explanation } from '../api-types.ts'
import { changePath, changeTexts } from '../pages/change-request.ts'
import { renderHidden, renderOptions, routePath } from './html.ts'

type State = Explanation['state']

const renderLink = ({ scope, version }: State, kind: string, css = '') =>
  html`<a class="button ${css}" href="${changePath(scope, { kind, version })}">${changeTexts[kind]?.button}</a>`

const renderSwitches = (state: State) =>
  html`${renderLink(state, state.held ? 'release' : 'hold')}${state.killed ? renderLink(state, 'resume') : renderLink(state, 'kill', 'danger')}`

const renderNextStep = ({ state, gate }: Explanation & { gate?: { change: unknown } | null }) => {
  const change = gate?.change
  if (!change || typeof change !== 'object' || !('kind' in change)) return ''
  if (change.kind === 'shadow')
    return html`<a class="button primary" href="${changePath(state.scope, { kind: 'shadow', version: state.version })}">Next step: shadow</a>`
  if (!('weightBp' in change) || typeof change.weightBp !== 'number') return ''
  const percent = String(change.weightBp / 100)
  return html`<a class="button primary" href="${changePath(state.scope, { kind: 'ramp', percent, version: state.version })}">Next step: ${formatWeight(change.weightBp)}</a>`
}

const renderForm = (state: State, kind: string, control: ReturnType<typeof html>) =>
  html`<form class="row" method="get" action="${routePath(state.scope, '/change')}">${renderHidden({ kind, version: state.version })}${control}<button>${changeTexts[kind]?.button}</button></form>`

const renderRamp = (state: State) =>
  renderForm(
    state,
    'ramp',
    html`<label>Percentage of native<input class="percent" type="number" name="percent" min="0" max="100" step="0.01" value="${state.weightBp / 100}" required></label>`,
  )

const renderMode = (state: State) =>
  renderForm(
    state,
    'mode',
    html`<label>Mode<select name="mode">${renderOptions(
      promotionModes.map((mode) => [mode, mode]),
      state.mode,
    )}</select></label>`,
  )

const renderDrill = (state: State) =>
  renderForm(
    state,
    'drill',
    html`<label>Drill in minutes<input class="percent" type="number" name="minutes" min="1" max="${maxDrillMinutes}" value="${minDrillMinutes}" required></label>`,
  )

const renderReturn = ({ scope, version }: State) =>
  html`<a class="button primary" href="${changePath(scope, { kind: 'ramp', percent: '100', version })}">Back to native with the core</a>`

/** Only what native serves to all can be retired; what is retired leads back to that and nowhere else. */
const renderRetirement = (state: State) =>
  state.stage === 'native'
    ? html`<div class="row">${renderDrill(state)}${renderLink(state, 'retire')}</div>`
    : ''

const canMove = (scope: string) => isRouteScope(scope) && labelsIn(scope).some(isTwoSided)

const renderMoves = (explained: Explanation) => {
  const { state } = explained
  const canShadow = isLabel(state.scope) && isShadowable(state.scope) && state.stage !== 'shadow'
  return html`<div class="row">${renderNextStep(explained)}${canShadow && renderLink(state, 'shadow')}${renderSwitches(state)}</div>
<div class="row">${renderRamp(state)}${renderMode(state)}</div>${renderRetirement(state)}`
}

/** What a retired route can do: go back, at once. */
const renderRetired = (state: State) =>
  html`<div class="row">${renderReturn(state)}${renderSwitches(state)}</div>`

/** The forms that change a route, an area or everything. Each leads to a page that says what it will do. */
export const renderChangeForms = (explained: Explanation) => {
  const { state } = explained
  const { scope } = state
  if (!canMove(scope)) return html`<p class="muted">Only native can serve this: it cannot be moved.</p>`
  if (!isLabel(scope))
    return html`<section class="panel" aria-label="Change"><div class="row">${renderSwitches(state)}</div></section>`
  return html`<section class="panel changes" aria-labelledby="change"><h2 id="change">Change</h2>
${state.stage === 'retired' ? renderRetired(state) : renderMoves(explained)}</section>`
}
