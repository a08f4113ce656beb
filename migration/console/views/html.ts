import { html } from 'hono/html'

export type Html = ReturnType<typeof html>

/** Shows, in place of an empty list, what is missing and how to get it. */
export const renderEmpty = (missing: string, advice: Html | string) =>
  html`<div class="empty"><p><strong>${missing}</strong></p><p>${advice}</p></div>`

const evidenceKey = /\b([0-9a-f]{32})\b/

/**
 * Shortens the evidence keys in a sentence, because a whole key is wider than a phone. The whole key appears on hover.
 */
export const renderSentence = (sentence: string) =>
  // Splitting by a capturing group keeps the keys: every second part is a key.
  sentence
    .split(evidenceKey)
    .map((part, index) => (index % 2 === 0 ? part : html`<code title="${part}">${part.slice(0, 8)}</code>`))

export const renderSentences = (sentences: readonly string[]) =>
  sentences.map((sentence) => html`<p>${renderSentence(sentence)}</p>`)

export type BadgeKind = '' | 'good' | 'warn' | 'bad'

export const renderBadge = (text: string, kind: BadgeKind = '') =>
  html`<span class="badge ${kind}">${text}</span>`

/** Shows the badge of a state or side, with the colours and marks of the charts. */
export const renderState = (state: string, text = state) =>
  html`<span class="badge state state-${state}">${text}</span>`

/** Shows a side's badge, in the colour of the state in which that side serves everyone. */
export const renderSide = (side: string) => renderState(side === 'core' ? 'proxy' : side, side)

/** Returns the path of a scope's console page. The `*` and `.` in a scope need no escaping. */
export const routePath = (scope: string, rest = '') => `/console/routes/${encodeURIComponent(scope)}${rest}`

export const renderScopeLink = (scope: string) => html`<a href="${routePath(scope)}">${scope}</a>`

export const renderHidden = (fields: Readonly<Record<string, string | number | undefined>>) =>
  Object.entries(fields).map(([name, value]) =>
    value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`,
  )

export const renderOptions = (
  options: readonly (readonly [value: string, name: string])[],
  selected: string,
) =>
  options.map(
    ([value, name]) =>
      html`<option value="${value}"${value === selected ? html` selected` : ''}>${name}</option>`,
  )
