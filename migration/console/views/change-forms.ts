import { html } from 'hono/html'
import { isLabel, isTwoSided } from '#contracts/shared/row.ts'
import { formatWeight } from '../../model/format-state.ts'
import { maxDrillMinutes, minDrillMinutes } from '../../model/retirement.ts'
import { isRouteScope, isShadowable, labelsIn } from '../../model/route-scope.ts'
import { promotionModes } from '../../model/route-state.ts'
import type { Explanation, ListedRoute } from '../api-types.ts'
import { changePath, changeTexts } from '../pages/change-request.ts'
import { renderHidden, renderOptions, routePath } from './html.ts'

type State = Explanation['state']

type Change = Parameters<typeof changePath>[1]

const renderLink = ({ scope, version }: State, kind: string, css = '') =>
  html`<a class="button ${css}" href="${changePath(scope, { kind, version })}">${changeTexts[kind]?.button}</a>`

const renderPrimaryLink = (scope: string, change: Change, text: string) =>
  html`<a class="button primary" href="${changePath(scope, change)}">${text}</a>`

export const renderKill = (scope: string, version?: number) =>
  html`<a class="button danger" data-key="k" aria-keyshortcuts="k" href="${changePath(scope, { kind: 'kill', version })}">Kill</a>`

const renderDanger = (state: State, canRetire: boolean) =>
  html`<span class="row danger-zone">${canRetire && renderLink(state, 'retire', 'danger')}${!state.killed && renderKill(state.scope, state.version)}</span>`

// Links to the change that ends the kill or hold. `by` is the scope that was killed or held: the route or a wider one.
const renderEnd = (state: State, kind: 'resume' | 'release', by: string) =>
  by === state.scope
    ? renderLink(state, kind, 'primary')
    : renderPrimaryLink(by, { kind }, `${changeTexts[kind]?.button} ${by}`)

const renderPrimary = (explained: Explanation, route: ListedRoute | undefined) => {
  const { state } = explained
  const killedBy = state.killed ? state.scope : (route?.killedBy ?? null)
  if (killedBy !== null) return renderEnd(state, 'resume', killedBy)
  const heldBy = state.held ? state.scope : (route?.heldBy ?? null)
  if (heldBy !== null) return renderEnd(state, 'release', heldBy)
  return state.stage === 'retired'
    ? renderPrimaryLink(
        state.scope,
        { kind: 'ramp', percent: '100', version: state.version },
        'Back to native with the core',
      )
    : renderNextStep(explained)
}

const renderNextStep = (explained: Explanation) => {
  const { scope, version } = explained.state
  const change = 'gate' in explained ? explained.gate?.change : null
  if (!change) return ''
  if (change.kind === 'shadow')
    return renderPrimaryLink(scope, { kind: 'shadow', version }, 'Next step: shadow')
  const percent = String(change.weightBp / 100)
  const text = `Next step: ${formatWeight(change.weightBp)}`
  return renderPrimaryLink(scope, { kind: 'ramp', percent, version }, text)
}

const renderForm = (state: State, kind: string, control: ReturnType<typeof html>) =>
  html`<form class="row" method="get" action="${routePath(state.scope, '/change')}">${renderHidden({ kind, version: state.version })}${control}<button>${changeTexts[kind]?.button}</button></form>`

const renderRamp = (state: State) =>
  renderForm(
    state,
    'ramp',
    html`<label>Native percentage<input class="percent" type="number" name="percent" min="0" max="100" step="0.01" value="${state.weightBp / 100}" required></label>`,
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
    html`<label>Drill length in minutes<input class="percent" type="number" name="minutes" min="1" max="${maxDrillMinutes}" value="${minDrillMinutes}" required></label>`,
  )

const canMove = (scope: string) => isRouteScope(scope) && labelsIn(scope).some(isTwoSided)

const renderForms = (state: State) =>
  html`<div class="row forms" id="forms">${renderRamp(state)}${renderMode(state)}${state.stage === 'native' && renderDrill(state)}</div>`

export const renderChangeForms = (explained: Explanation, route?: ListedRoute) => {
  const { state } = explained
  const { scope, stage } = state
  if (!canMove(scope)) return html`<p class="muted">Only native can serve this, so it cannot move.</p>`
  const canShadow =
    isLabel(scope) && isShadowable(scope) && stage !== 'shadow' && stage !== 'proxy' && stage !== 'retired'
  return html`<div class="row actions">${renderPrimary(explained, route)}${canShadow && renderLink(state, 'shadow')}${!state.held && renderLink(state, 'hold')}${state.killed && state.held && renderLink(state, 'release')}${renderDanger(state, stage === 'native')}</div>
${isLabel(scope) && stage !== 'retired' && renderForms(state)}`
}
