import { html } from 'hono/html'
import { isLabel } from '#contracts/shared/row.ts'
import type { AuditEntries, Explanation, ListedRoute } from '../api-types.ts'
import { renderChangeForms } from './change-forms.ts'
import { renderSentence, renderSentences, renderTime } from './html.ts'
import { isStopped, renderBadges, renderStage } from './route-badges.ts'

const findBlock = (explained: Explanation) =>
  'gate' in explained && explained.gate !== null && explained.gate.action !== 'complete'
    ? explained.gate.sentence
    : null

const renderState = ({ state }: Explanation, route: ListedRoute) =>
  html`<p class="row">${renderStage(route.fixedHere ?? state)}${renderBadges(route)}<span class="muted small end">version ${state.version}</span></p>`

const maxSentence = 200

// A sentence that lists routes may name dozens.
const renderFact = (sentence: string, index: number) => {
  const [, list, items] = (sentence.length > maxSentence && /^(.{1,40}): (.*)$/.exec(sentence)) || []
  return list === undefined
    ? html`<p class="${index === 0 ? 'fact' : ''}">${renderSentence(sentence)}</p>`
    : html`<details id="list-${index}"><summary>${list}</summary><p>${items}</p></details>`
}

const renderOthers = (sentences: readonly string[]) =>
  sentences.length > 0 &&
  html`<details id="why"><summary>Why (${sentences.length} more)</summary>${renderSentences(sentences)}</details>`

const renderStop = (entries: AuditEntries['entries']) => {
  const stop = entries.find(({ action }) => action === 'rollback')
  return stop && html`<p>Stopped ${renderTime(stop.at)}: ${stop.reason}.</p>`
}

export const renderRouteHeader = (
  explained: Explanation,
  route: ListedRoute | undefined,
  {
    entries,
    mayChange,
    isAsked,
  }: { readonly entries: AuditEntries['entries']; readonly mayChange: boolean; readonly isAsked: boolean },
) => {
  const { sentences, state } = explained
  const block = findBlock(explained)
  // For an account, a link or an area, every sentence is shown.
  const shown = isAsked || !isLabel(state.scope) ? sentences.length : 1
  const others = sentences.slice(shown).filter((sentence) => sentence !== block)
  return html`<section class="panel decide" aria-label="State">${route?.isTwoSided && renderState(explained, route)}
${sentences.slice(0, shown).map(renderFact)}
${route && isStopped(route) && renderStop(entries)}${block !== null && shown === 1 && html`<p>${block}</p>`}
${mayChange && renderChangeForms(explained, route)}
${renderOthers(others)}</section>`
}
